import { describe, expect, it } from 'vitest';
import type { Link, ProcessResponses } from '../link.ts';
import type { BackgroundRuns } from './background-runs.ts';
import { SharedRuns } from './shared-runs.ts';

const none = { running: () => undefined, followable: () => undefined, forget: async () => undefined };
const location = { owner: 'ann', id: 'resp_1' };
const silent: ProcessResponses = { responses: [], missing: 1 };
const anonymous: ProcessResponses = { responses: [], missing: 0 };
const page = (text: string, isOver: boolean): ProcessResponses => ({
  responses: [{ text, last: 0, isOver }],
  missing: 0,
});

/** Runs behind a link that gives these answers, and the last one again and again. */
function shared(...value: readonly ProcessResponses[]): SharedRuns {
  const left = [...value];
  const link: Link = {
    register: () => undefined,
    askAll: async () => (left.length > 1 ? left.shift() : left[0]) as ProcessResponses,
  };
  return new SharedRuns(none as unknown as BackgroundRuns, link);
}

async function followed(...value: readonly ProcessResponses[]): Promise<string> {
  const stream = await shared(...value).follow(location, {
    after: -1,
    signal: new AbortController().signal,
    lost: (number, message) => JSON.stringify({ number, message }),
  });
  let text = '';
  for await (const piece of stream ?? []) text += piece;
  return text;
}

describe('SharedRuns', () => {
  it('asks again if a process is late, but not if no process has the response', async () => {
    expect(await shared(silent, silent, { responses: ['it'], missing: 1 }).now(location)).toBe('it');
    expect(await shared(silent, anonymous).now(location)).toBeUndefined();
    expect(await followed(page('a', false), silent, page('b', true))).toBe('ab');
  });

  it('says that a process has ended only where it has', async () => {
    expect(await followed(page('a', false), anonymous)).toContain(
      '"The worker that generated this response has exited."',
    );
    expect(await followed(page('a', false), silent)).toContain('"A worker is not responding. Try again later."');
    await expect(shared(silent).now(location)).rejects.toMatchObject({ code: 'server_not_ready', retryAfter: 5 });
    await expect(shared(silent).cancel(location)).rejects.toMatchObject({ code: 'server_not_ready' });
    expect(await shared(anonymous).cancel(location)).toBeUndefined();
  });
});
