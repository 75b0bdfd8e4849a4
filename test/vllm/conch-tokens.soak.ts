import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { joined, sendTokens, type TokensRequest, type TokensResult } from '../support/conch-tokens.ts';
import { vllmModelFolder, vllmPython } from '../support/environment.ts';
import { python, pythonJson } from '../support/python.ts';
import { type RealVllm, readyMilliseconds, realModel, startRealVllm, tokensRepository } from '../support/real-vllm.ts';

let vllm: RealVllm;
beforeAll(async () => {
  // vLLM 0.13 on a CPU gives requests without an adapter the last one in a batch with others: that one stays empty.
  const lora = { enable_lora: true, max_lora_rank: 8, max_loras: 4 };
  const engineArguments = {
    ...lora,
    enable_prefix_caching: true,
    scheduling_policy: 'priority',
    disable_log_stats: false,
    max_num_seqs: 4,
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

interface Reference {
  readonly own: readonly number[];
  readonly ids: readonly (readonly number[])[];
  readonly logprobs: readonly (readonly number[])[];
}

it('reports the logprobs of transformers', async () => {
  const [result] = await send(request({ logprobs: 3, prompt_logprobs: 3, max_tokens: 32 }, { inputs: text }));
  const responses = result?.responses ?? [];
  const prompt = joined(responses, 'prompt_token_ids');
  const tokens = joined(responses, 'token_ids');
  expect(tokens).toHaveLength(32);
  const reference = (await pythonJson('test/support/real_vllm/reference_logprobs.py', [vllmModelFolder()], {
    input: JSON.stringify({ token_ids: [...prompt, ...tokens], top: 3 }),
    program: vllmPython(),
    environment: { HF_HUB_OFFLINE: '1', CUDA_VISIBLE_DEVICES: '' },
  })) as Reference;
  // The first token of a prompt has no logprob.
  const rows = (name: string) =>
    [...joined(responses, `prompt_${name}`).slice(1), ...joined(responses, name)] as number[][];
  const [ids, logprobs] = [rows('logprob_ids'), rows('logprobs')];
  expect(ids.map(([own]) => own)).toEqual([...prompt.slice(1), ...tokens]);
  expect(logprobs).toHaveLength(reference.own.length);
  const differences = logprobs.flatMap(([own = Number.NaN, ...likely], at) => [
    own - (reference.own[at] ?? Number.NaN),
    ...likely.map((logprob, column) => logprob - (reference.logprobs[at]?.[column] ?? Number.NaN)),
  ]);
  expect(Math.max(...differences.map(Math.abs))).toBeLessThan(1e-2);
  // Tokens whose logprobs are nearly equal may change places.
  const isClear = (at: number) =>
    (reference.logprobs[at] ?? []).every((logprob, rank, all) => rank === 0 || (all[rank - 1] ?? 0) - logprob > 1e-3);
  const clear = ids.flatMap((row, at) => (isClear(at) ? [{ own: row.slice(1), reference: reference.ids[at] }] : []));
  expect(clear.length).toBeGreaterThan(20);
  expect(clear.map(({ own }) => own)).toEqual(clear.map(({ reference: expected }) => expected));
});

it.each([1, 2, 9])('stops the engine within 2 tokens when a client cancels after %i', async (responses) => {
  const generated = () => Number(readFileSync(join(vllm.folder, 'generated'), 'utf8'));
  const before = generated();
  const long = request({ max_tokens: 1900, ignore_eos: true }, { inputs: text, cancel_after: responses });
  const [cancelled] = await send(long);
  expect(cancelled?.status).toBe('CANCELLED');
  const delivered = joined(cancelled?.responses ?? [], 'token_ids').length;
  expect(delivered).toBeGreaterThanOrEqual(responses);
  // A request that goes on adds its tokens to these.
  const [next] = await send(request({ max_tokens: 16, ignore_eos: true }, { inputs: text }));
  expect(joined(next?.responses ?? [], 'token_ids')).toHaveLength(16);
  expect(generated() - before - 16 - delivered).toBeLessThanOrEqual(2);
});

const writeAdapter = (name: string, rank: number) =>
  python('test/support/real_vllm/write_adapter.py', [
    vllmModelFolder(),
    join(vllm.folder, 'adapters', name),
    `${rank}`,
  ]);

const adapter = (path: string, more: Partial<TokensRequest> = {}) =>
  request({}, { ...more, inputs: { ...text, lora_name: ['BYTES', ['a']], lora_path: ['BYTES', [path]] } });

it('loads an adapter while streams run', async () => {
  await writeAdapter('later', 8);
  const stream = request({ max_tokens: 64, ignore_eos: true }, { inputs: text });
  const other = request({ max_tokens: 64, ignore_eos: true }, { inputs: { prompt: ['BYTES', ['The capital of']] } });
  const [streamAlone] = await send(stream);
  const [otherAlone] = await send(other);
  const [first, second, adapted] = await send(stream, other, adapter('later', { after: 4 }));
  expect([first?.error, second?.error, adapted?.error]).toEqual([undefined, undefined, undefined]);
  for (const [result, alone] of [
    [first, streamAlone],
    [second, otherAlone],
  ]) {
    expect(joined(result?.responses ?? [], 'token_ids')).toEqual(joined(alone?.responses ?? [], 'token_ids'));
  }
  expect(textOf(adapted)).not.toBe(textOf(first).slice(0, textOf(adapted).length));
  const [again] = await send(adapter('later'));
  expect(textOf(adapted)).toBe(textOf(again));
  // The adapter came after the streams began, and its response ended before theirs.
  const span = (result: TokensResult | undefined) => {
    const [arrival = Number.NaN, ...durations] = last(result)['times'] as number[];
    return { arrival, end: durations.reduce((sum, seconds) => sum + seconds, arrival) };
  };
  for (const result of [first, second]) {
    expect(span(adapted).arrival).toBeGreaterThan(span(result).arrival);
    expect(span(adapted).end).toBeLessThan(span(result).end);
  }
});

it('loads adapters at run time, and survives one that is broken', async () => {
  await writeAdapter('good', 8);
  await writeAdapter('large', 64);
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
