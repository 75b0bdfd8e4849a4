import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf } from '../support/gateway.ts';
import type { Triton } from '../support/triton.ts';
import { complete, serversOf, startOver, startTritons, tellToy, untilServers } from './two-servers.ts';

let tritons: Triton[];
let conch: Conch;
beforeAll(async () => {
  tritons = await startTritons(['vllm-toy'], ['vllm-toy']);
  conch = await startOver(
    tritons,
    '--engine-recovery=off',
    '--breaker-failures=2',
    '--breaker-backoff=100ms',
    '--ejection-time=0',
    '--first-token-timeout=1s',
    '--idle-timeout=1s',
  );
});
afterAll(async () => {
  await conch.stop();
  await Promise.all(tritons.map(({ stop }) => stop()));
});

const states = (rows: Awaited<ReturnType<typeof serversOf>>) =>
  rows.map(({ models }) => models.find(({ name }) => name === 'vllm-toy')?.state);

describe('an engine that died behind a server that is ready', () => {
  it('gets one more request; the others succeed elsewhere until it is back', async () => {
    const [one] = tritons as [Triton];
    await tellToy(one, { tokens: 2, die_at: 1 });
    // The first one that meets it may have been the reason, for all that Conch knows.
    while ((await complete(conch, { answer: 'well' })).status === 200);
    for (let time = 0; time < 8; time++) expect(textsOf(await complete(conch, { answer: 'well' }))).toEqual(['well']);
    const [row] = await serversOf(conch);
    expect(states(await serversOf(conch))).toEqual(['FAILED', 'READY']);
    expect(row).toMatchObject({ state: 'ready', ready: true, failures: 1, retried: 0 });
    expect(row?.last_error).toMatchObject({ code: 'UNKNOWN', model: 'vllm-toy' });

    await tellToy(one, { revive: true, answer: 'back' });
    const rows = await untilServers(conch, (now) => states(now).every((state) => state === 'READY'));
    expect(states(rows)).toEqual(['READY', 'READY']);
  });
});

describe('a server that is too slow', () => {
  it('is left for another one before its first response', async () => {
    const before = (await serversOf(conch)).map(({ requests }) => requests);
    // Both are as slow as this, and so is every try.
    const response = await complete(conch, { answer: 'late', start_delay_ms: 5000 }, { stream: true });
    expect(response.status).toBe(504);
    expect(response.body).toEqual({
      error: {
        message: 'The model did not start its response within the time limit for the first token.',
        type: 'server_error',
        param: null,
        code: 'deadline_exceeded',
      },
    });
    const after = (await serversOf(conch)).map(({ requests }) => requests);
    expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1]);
  });

  it('is told from one that answers whole', async () => {
    expect(textsOf(await complete(conch, { answer: 'late', start_delay_ms: 1500 }))).toEqual(['late']);
  });

  it('ends an answer that stops in its middle with an error', async () => {
    const { text } = await complete(conch, { tokens: 3, hold_at: 2 }, { stream: true });
    const events = eventsOf(text);
    expect(events).toHaveLength(3);
    expect(events.at(-1)).toEqual({
      error: {
        message: 'The model paused its response for longer than the time limit between tokens.',
        type: 'server_error',
        param: null,
        code: 'deadline_exceeded',
      },
    });
  });
});

describe('a server that is killed', () => {
  it('ends what it had begun, and nothing that begins afterwards fails', async () => {
    // It has seen no failures yet.
    const fresh = await startOver(tritons);
    const path = `${fresh.url}/v1/completions`;
    const streams = [];
    for (const tag of ['a', 'b']) {
      const prompt = directive({ tokens: 9, delay_ms: 300, tag });
      const stream = begin(path, { model: 'vllm-toy', prompt, stream: true });
      await stream.until(' w1');
      streams.push(stream);
    }
    expect((await serversOf(fresh)).map(({ running }) => running)).toEqual([1, 1]);
    const [one] = tritons as [Triton];
    await one.kill('SIGKILL');
    const responses = await Promise.all(streams.map((stream) => stream.whole()));
    const ends = responses.map((text) => eventsOf(text).at(-1));
    expect(ends).toContain('[DONE]');
    expect(ends).toContainEqual({
      error: {
        message: 'The server of this model is unreachable.',
        type: 'server_error',
        param: null,
        code: 'server_unreachable',
      },
    });
    const after = await Promise.all(Array.from({ length: 20 }, () => complete(fresh, { answer: 'well' })));
    expect(after.map(textsOf)).toEqual(Array.from({ length: 20 }, () => ['well']));
    const [row] = await untilServers(fresh, ([first]) => first?.state === 'unreachable');
    expect(row).toMatchObject({ ready: false, models: [] });
    await fresh.stop();
  });
});
