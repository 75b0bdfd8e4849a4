import { describe, expect, it } from 'vitest';
import type { Answers, Link } from '../link.ts';
import type { BackgroundRuns } from './background-runs.ts';
import { SharedRuns } from './shared-runs.ts';

const none = { running: () => undefined, followable: () => undefined, forget: async () => undefined };
const place = { owner: 'ann', id: 'resp_1' };
const silent: Answers = { answers: [], missing: 1 };
const nobody: Answers = { answers: [], missing: 0 };
const page = (text: string, isOver: boolean): Answers => ({ answers: [{ text, last: 0, isOver }], missing: 0 });

/** Runs behind a link that gives these answers, and the last one again and again. */
function shared(...given: readonly Answers[]): SharedRuns {
  const left = [...given];
  const link: Link = {
    register: () => undefined,
    askAll: async () => (left.length > 1 ? left.shift() : left[0]) as Answers,
  };
  return new SharedRuns(none as unknown as BackgroundRuns, link);
}

async function followed(...given: readonly Answers[]): Promise<string> {
  const stream = await shared(...given).follow(place, {
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
    expect(await shared(silent, silent, { answers: ['it'], missing: 1 }).now(place)).toBe('it');
    expect(await shared(silent, nobody).now(place)).toBeUndefined();
    expect(await followed(page('a', false), silent, page('b', true))).toBe('ab');
  });

  it('says that a process has ended only where it has', async () => {
    expect(await followed(page('a', false), nobody)).toContain('"The worker that generated this response has exited."');
    expect(await followed(page('a', false), silent)).toContain('"A worker is not responding. Retry later."');
    await expect(shared(silent).now(place)).rejects.toMatchObject({ code: 'server_not_ready', retryAfter: 5 });
    await expect(shared(silent).cancel(place)).rejects.toMatchObject({ code: 'server_not_ready' });
    expect(await shared(nobody).cancel(place)).toBeUndefined();
  });
});
