import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { PulledResponses } from '../../../test/support/pulled-responses.ts';
import { ScriptedServer } from '../../../test/support/scripted-server.ts';
import type { GroupOptions } from '../../kserve/server-group.ts';
import type { BalanceOptions } from './balance-options.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function streamOf(settings: Partial<BalanceOptions>, servers: readonly ScriptedServer[], options: GroupOptions = {}) {
  const group = balancerWith(settings).groupOf(
    'm',
    servers.map(({ server }) => server),
  );
  return new PulledResponses((sink) =>
    group.stream((server, _, into) => server.stream({} as never, into), sink, options),
  );
}

/** The result of a read, or its error. */
async function read(stream: PulledResponses): Promise<string> {
  try {
    const { done, value } = await stream.next();
    return done ? 'end' : (value as { version: string }[]).map(({ version }) => version).join();
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the time for the first response', () => {
  it('runs out, and the request goes to another server', async () => {
    const servers = [new ScriptedServer('one', 'wait'), new ScriptedServer('two', 'answer', 'end')];
    const stream = streamOf({ firstTokenTimeout: 1000 }, servers);
    const first = read(stream);
    await vi.advanceTimersByTimeAsync(900);
    expect(servers.map(({ streams }) => streams.length)).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(300);
    expect(await first).toBe('two');
    expect(servers[0]?.streams[0]?.isLeft).toBe(true);
  });

  it('is a failure where there is no other', async () => {
    const stream = streamOf({ firstTokenTimeout: 1000 }, [new ScriptedServer('one', 'wait')]);
    const first = read(stream);
    await vi.advanceTimersByTimeAsync(1200);
    expect(await first).toBe('The first response did not arrive within 1000 ms.');
  });

  it('does not limit a unary response', async () => {
    const server = new ScriptedServer('one', 'wait');
    const stream = streamOf({ firstTokenTimeout: 1000 }, [server], { hasSingleResponse: true });
    const first = read(stream);
    await vi.advanceTimersByTimeAsync(5000);
    server.streams[0]?.go('answer');
    expect(await first).toBe('one');
  });
});

describe('the time between responses', () => {
  it('runs out while the server is waited for', async () => {
    const server = new ScriptedServer('one', 'answer', 'wait');
    const stream = streamOf({ idleTimeout: 1000 }, [server]);
    expect(await read(stream)).toBe('one');
    const second = read(stream);
    await vi.advanceTimersByTimeAsync(1200);
    expect(await second).toBe('The next response did not arrive within 1000 ms.');
    expect([server.streams.length, server.streams[0]?.isLeft]).toEqual([1, true]);
  });

  it('does not run while the reader is busy', async () => {
    const server = new ScriptedServer('one', 'answer', 'answer', 'wait');
    const stream = streamOf({ idleTimeout: 1000 }, [server]);
    expect(await read(stream)).toBe('one');
    await vi.advanceTimersByTimeAsync(5000);
    expect(await read(stream)).toBe('one');
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.streams[0]?.isLeft).toBe(false);
    const third = read(stream);
    await vi.advanceTimersByTimeAsync(800);
    server.streams[0]?.go('end');
    expect(await third).toBe('end');
  });
});

describe('a stream that is left', () => {
  it('before it is read, begins nothing', async () => {
    const server = new ScriptedServer('one', 'answer');
    const stream = streamOf({}, [server]);
    await stream.return();
    expect([await read(stream), server.streams]).toEqual(['end', []]);
  });

  it('before its first response, is over', async () => {
    const server = new ScriptedServer('one', 'wait');
    const stream = streamOf({}, [server]);
    const first = read(stream);
    await stream.return();
    expect(await first).toBe('end');
    expect(server.streams[0]?.isLeft).toBe(true);
  });
});
