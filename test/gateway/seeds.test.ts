import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--log-prompts');
});
afterAll(() => conch.stop());

const echo = directive({ echo_parameters: true });
const nanoseconds = '1763256000123456789';

/** Sends a body with digits that JavaScript would round, and gives the seeds that reached the backend, as texts. */
async function seedsOf(path: string, body: object, fields: string): Promise<string[]> {
  const json = `${JSON.stringify({ model: 'vllm-toy', stream: false, ...body }).slice(0, -1)},${fields}}`;
  const { status, text } = await post(conch.url + path, json);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return [...text.matchAll(/\\?"seed\\?": (-?\d+)/g)].map(([, digits = '']) => digits);
}

const chat = { messages: [{ role: 'user', content: echo }] };

it.each([
  ['/v1/chat/completions', chat, `"seed":${nanoseconds}`],
  ['/v1/completions', { prompt: echo }, `"seed":${nanoseconds}`],
  ['/v1/responses', { input: echo, store: false }, `"seed":${nanoseconds}`],
  ['/api/chat', chat, `"options":{"seed":${nanoseconds}}`],
  ['/api/generate', { prompt: echo, raw: true }, `"options":{"seed":${nanoseconds}}`],
])('a 64-bit seed of %s reaches the backend with all of its digits', async (path, body, fields) => {
  expect(await seedsOf(path, body, fields)).toEqual([nanoseconds]);
});

it('each of several responses has the next seed, and the ends of the range are taken', async () => {
  expect(await seedsOf('/v1/chat/completions', { ...chat, n: 3 }, `"seed":${nanoseconds}`)).toEqual([
    nanoseconds,
    '1763256000123456790',
    '1763256000123456791',
  ]);
  for (const end of ['9223372036854775807', '-9223372036854775808'])
    expect(await seedsOf('/v1/completions', { prompt: echo }, `"seed":${end}`)).toEqual([end]);
});

it.each([
  ['9223372036854775808', 'seed: must be at most 9223372036854775807, not 9223372036854775808.'],
  ['-9223372036854775809', 'seed: must be at least -9223372036854775808, not -9223372036854775809.'],
  [`1${'0'.repeat(30)}`, 'seed: must be an integer of at most 64 bits.'],
])('a seed of %s is a 400', async (digits, message) => {
  const { status, body } = await post(
    `${conch.url}/v1/completions`,
    `{"model":"vllm-toy","prompt":"a","seed":${digits}}`,
  );
  expect([status, body.error?.['message'], body.error?.['param']]).toEqual([400, message, 'seed']);
});
