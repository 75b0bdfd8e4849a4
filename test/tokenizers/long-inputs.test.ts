import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MonitoredConch, startMonitored } from '../support/event-loop.ts';
import { gatewayFlags, post, type Response } from '../support/gateway.ts';

let monitored: MonitoredConch;
beforeAll(async () => {
  monitored = await startMonitored(gatewayFlags());
});
afterAll(() => monitored.stop());

const ask = (path: string, body: object): Promise<Response> => post(`${monitored.conch.url}${path}`, body);

async function measured(path: string, body: object): Promise<{ response: Response; delay: number }> {
  const { result: response, delay } = await monitored.leastDuring(() => ask(path, body));
  return { response, delay };
}

/** Milliseconds that this process takes to write a value as JSON and to read it again: an answer takes no less. */
function jsonTime(value: unknown): number {
  const start = performance.now();
  JSON.parse(JSON.stringify(value));
  return performance.now() - start;
}

/** How many times as long as that the event loop may be held; tokenizing or decoding a million tokens takes several times longer. */
const most = 3;

it('a million tokens go in and out without holding the event loop', async () => {
  const words = 'The quick brown fox jumps over the lazy dog. ';
  const text = words.repeat(99_000);
  await ask('/tokenize', { model: 'vllm-toy', prompt: words });
  const there = await measured('/tokenize', { model: 'vllm-toy', prompt: text, return_token_strs: true });
  const { count, tokens, token_strs: spellings } = there.response.body as Record<string, unknown[]>;
  expect([there.response.status, count, tokens?.length, spellings?.length]).toEqual([200, 990_001, 990_001, 990_001]);
  const back = await measured('/detokenize', { model: 'vllm-toy', tokens });
  expect([back.response.status, back.response.body['prompt'] === text]).toEqual([200, true]);
  const measure = jsonTime(there.response.body);
  const lengths = [there, back].map(({ delay }) => (delay < most * measure ? 'short' : { delay, measure }));
  expect(lengths).toEqual(['short', 'short']);
});
