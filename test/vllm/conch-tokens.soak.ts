import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { joined, sendTokens, type TokensRequest, type TokensResult } from '../support/conch-tokens.ts';
import { vllmModelFolder } from '../support/environment.ts';
import { python } from '../support/python.ts';
import { type RealVllm, readyMilliseconds, realModel, startRealVllm, tokensRepository } from '../support/real-vllm.ts';

let vllm: RealVllm;
beforeAll(async () => {
  // One request at a time, so that a request waits for the end of the one before.
  const lora = { enable_lora: true, max_lora_rank: 8, max_loras: 2 };
  const engineArguments = {
    ...lora,
    enable_prefix_caching: true,
    scheduling_policy: 'priority',
    disable_log_stats: false,
    max_num_seqs: 1,
  };
  vllm = await startRealVllm({ writeRepository: tokensRepository, engineArguments });
}, readyMilliseconds);
afterAll(() => vllm.stop());

const send = (...requests: readonly TokensRequest[]) =>
  sendTokens({ grpcPort: vllm.grpcPort, model: realModel }, requests);

function request(sampling: object, more: Partial<TokensRequest> = {}): TokensRequest {
  const parameters = JSON.stringify({ temperature: 0, max_tokens: 8, ...sampling });
  return { ...more, inputs: { sampling_params: ['BYTES', [parameters]], ...more.inputs } };
}

const text = { prompt: ['BYTES', ['Once upon a time']] } as const;
const ids = (values: readonly unknown[]) => ({ input_ids: ['INT32', values] }) as const;
const textOf = (result: TokensResult | undefined) => joined(result?.responses ?? [], 'text').join('');
const last = (result: TokensResult | undefined) => result?.responses.at(-1) ?? {};

it('takes token ids and text alike, and reports logprobs, usage and times', async () => {
  const sampling = { logprobs: 2, prompt_logprobs: 1 };
  const [byText] = await send(request(sampling, { inputs: text }));
  expect(byText?.error).toBeUndefined();
  const prompt = joined(byText?.responses ?? [], 'prompt_token_ids');
  const [byIds] = await send(request(sampling, { inputs: ids(prompt) }));
  expect(textOf(byIds)).toBe(textOf(byText));
  const responses = byIds?.responses ?? [];
  const tokens = joined(responses, 'token_ids');
  expect(tokens).toHaveLength(8);
  // Greedy: each token is the most likely one, in the columns 0 and 1.
  const columns = joined(responses, 'logprob_ids') as number[][];
  expect(columns.map(([own]) => own)).toEqual(tokens);
  expect(columns.map((row) => row[1])).toEqual(tokens);
  const logprobs = joined(responses, 'logprobs') as [number, number, number][];
  expect(logprobs.every((row) => row.length === 3)).toBe(true);
  expect(logprobs.every(([, most, next]) => most >= next)).toBe(true);
  expect((joined(responses, 'prompt_logprob_ids') as number[][]).map(([own]) => own)).toEqual(prompt);
  expect(last(byIds)).toMatchObject({
    finish_reason: ['length'],
    usage: [prompt.length, 8, expect.any(Number), -1, -1],
  });
  const [arrival = 0, ...durations] = last(byIds)['times'] as number[];
  expect(Math.abs(arrival - Date.now() / 1000)).toBeLessThan(600);
  expect(durations.every((seconds) => seconds >= 0 && seconds < 600)).toBe(true);
});

it('applies logit_bias, stop sequences, structured outputs and n', async () => {
  const [biased, stopped, guided, twice] = await send(
    request({ logit_bias: { 42: 100 }, max_tokens: 3 }, { inputs: text }),
    request({ stop: [' a'], max_tokens: 64 }, { inputs: text }),
    request({ structured_outputs: { choice: ['yes', 'no'] } }, { inputs: text }),
    request({ n: 2, temperature: 1, seed: 1 }, { inputs: text }),
  );
  expect(joined(biased?.responses ?? [], 'token_ids')).toEqual([42, 42, 42]);
  expect(last(stopped)).toMatchObject({ finish_reason: ['stop'], stop_string: [' a'] });
  expect(['yes', 'no']).toContain(textOf(guided));
  expect(last(guided)).toMatchObject({ finish_reason: ['stop'] });
  for (const index of [0, 1]) {
    const own = (twice?.responses ?? []).filter((tensors) => tensors['index']?.[0] === index);
    expect(joined(own, 'token_ids')).toHaveLength(8);
    expect(joined(own, 'finish_reason')).toHaveLength(1);
  }
});

it('shares cached prefixes only under the same cache salt', async () => {
  const prompt = Array.from({ length: 600 }, (_, at) => 1000 + at);
  const salted = (salt: string) =>
    request({ max_tokens: 1 }, { inputs: { ...ids(prompt), cache_salt: ['BYTES', [salt]] } });
  const cached = async (salt: string) => ((last((await send(salted(salt)))[0])['usage'] ?? []) as number[])[2];
  expect(await cached('a')).toBe(0);
  expect(await cached('a')).toBeGreaterThan(0);
  expect(await cached('b')).toBe(0);
});

it('rejects what vLLM rejects, and serves the next request', async () => {
  const [bad, outside] = await send(
    request({ structured_outputs: { regex: '(' } }, { inputs: text }),
    request({}, { inputs: ids([10 ** 6]) }),
  );
  expect(bad?.error).toMatch(/^Invalid request: /);
  expect(outside?.error).toMatch(/^Invalid request: input_ids\[0\] is 1000000/);
  expect((await send(request({}, { inputs: text })))[0]?.error).toBeUndefined();
});

it('stops the engine when a client cancels', async () => {
  // Without an abort, the second request waits for minutes.
  const [cancelled, next] = await send(
    request(
      { max_tokens: 1900, ignore_eos: true },
      { inputs: { ...text, priority: ['INT32', [-1]] }, cancel_after: 2 },
    ),
    request({ max_tokens: 1 }, { inputs: text }),
  );
  expect(cancelled?.status).toBe('CANCELLED');
  expect(next?.error).toBeUndefined();
  const [, queue = Number.NaN] = last(next)['times'] as number[];
  expect(queue).toBeLessThan(10);
});

it('loads adapters at run time, and survives one that is broken', async () => {
  const write = (name: string, rank: number) =>
    python('test/support/real_vllm/write_adapter.py', [
      vllmModelFolder(),
      join(vllm.folder, 'adapters', name),
      `${rank}`,
    ]);
  await write('good', 8);
  await write('large', 64);
  const adapter = (path: string) =>
    request({}, { inputs: { ...text, lora_name: ['BYTES', ['a']], lora_path: ['BYTES', [path]] } });
  const [base, good, again, large] = await send(
    request({}, { inputs: text }),
    adapter('good'),
    adapter('good'),
    adapter('large'),
  );
  expect([base?.error, good?.error, again?.error]).toEqual([undefined, undefined, undefined]);
  expect(textOf(good)).not.toBe(textOf(base));
  expect(textOf(again)).toBe(textOf(good));
  expect(large?.error).toMatch(/^Invalid request: lora_name 'a' cannot be loaded/);
  expect(textOf((await send(request({}, { inputs: text })))[0])).toBe(textOf(base));
});
