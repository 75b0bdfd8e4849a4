import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamedChoices, textsOf } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { post, type Response } from '../support/gateway.ts';
import { type RealVllm, readyMilliseconds, realModel, startRealVllm, tokensRepository } from '../support/real-vllm.ts';
import { patience, startOverVllm } from './over-vllm.ts';

let vllm: RealVllm;
let conch: Conch;
beforeAll(async () => {
  const engineArguments = { enable_prefix_caching: true, scheduling_policy: 'priority', max_num_seqs: 4 };
  vllm = await startRealVllm({ writeRepository: tokensRepository, engineArguments });
  conch = await startOverVllm([vllm]);
}, readyMilliseconds);
afterAll(async () => {
  await conch.stop();
  await vllm.stop();
});

const prompt = 'Once upon a time, in a small village by the sea, there lived';
const complete = async (body: object): Promise<Response> => {
  const response = await post(`${conch.url}/v1/completions`, {
    model: realModel,
    prompt,
    max_tokens: 12,
    temperature: 0,
    ...body,
  });
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  return response;
};
const choiceOf = ({ body }: Response) => (body['choices'] as Record<string, unknown>[])[0] ?? {};
const usageOf = ({ body }: Response) =>
  body['usage'] as { prompt_tokens: number; prompt_tokens_details?: { cached_tokens: number } };

interface CompletionLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly (number | null)[];
}

describe('fields that the backend of Triton refuses have their effect on a real engine', () => {
  it('logit_bias', async () => {
    const response = await complete({ logit_bias: { 42: 100 }, max_tokens: 3, return_token_ids: true });
    expect(choiceOf(response)['token_ids']).toEqual([42, 42, 42]);
  });

  it('return_token_ids', async () => {
    const response = await complete({ return_token_ids: true });
    const { token_ids: ids, prompt_token_ids: promptIds, text } = choiceOf(response);
    const decoded = await post(`${conch.url}/detokenize`, { model: realModel, tokens: ids });
    expect(decoded.body['prompt']).toContain(text);
    expect(promptIds).toHaveLength(usageOf(response).prompt_tokens);
  });

  it('cache_salt', async () => {
    const long = Array.from({ length: 40 }, () => prompt).join(' ');
    const cached = async (salt: string) =>
      usageOf(await complete({ prompt: long, cache_salt: salt, max_tokens: 1 })).prompt_tokens_details?.cached_tokens;
    expect(await cached('one')).toBe(0);
    expect(await cached('one')).toBeGreaterThan(300);
    expect(await cached('two')).toBe(0);
  });

  it('prompt_logprobs, which agree with echo and logprobs', async () => {
    const { prompt_logprobs: rows } = choiceOf(await complete({ prompt_logprobs: 2, max_tokens: 1 }));
    const list = rows as (Record<string, { logprob: number; rank: number }> | null)[];
    expect(list[0]).toBe(null);
    for (const row of list.slice(1)) expect(Object.keys(row ?? {}).length).toBeGreaterThanOrEqual(2);
    const echoed = choiceOf(await complete({ echo: true, logprobs: 1, max_tokens: 0 }));
    const { tokens, token_logprobs: logprobs } = echoed['logprobs'] as CompletionLogprobs;
    expect(tokens.join('')).toBe(prompt);
    expect([logprobs[0], logprobs.length]).toEqual([null, list.length]);
    const known = new Set(list.flatMap((row) => Object.values(row ?? {}).map(({ logprob }) => logprob.toFixed(3))));
    for (const logprob of logprobs.slice(1)) expect(known).toContain(logprob?.toFixed(3));
  });

  it('truncate_prompt_tokens', async () => {
    const whole = usageOf(await complete({ max_tokens: 1 })).prompt_tokens;
    expect(whole).toBeGreaterThan(5);
    const cut = await complete({ truncate_prompt_tokens: 5, max_tokens: 1, return_token_ids: true });
    expect([usageOf(cut).prompt_tokens, (choiceOf(cut)['prompt_token_ids'] as number[]).length]).toEqual([5, 5]);
  });

  it('use_beam_search, whose best completion is at least as likely as the greedy one', async () => {
    const sum = (response: Response) =>
      (choiceOf(response)['logprobs'] as CompletionLogprobs).token_logprobs.reduce<number>(
        (total, logprob) => total + (logprob ?? 0),
        0,
      );
    const fields = { max_tokens: 6, ignore_eos: true, logprobs: 0 };
    const greedy = await complete(fields);
    const beams = await complete({ ...fields, use_beam_search: true, beam_width: 4, n: 2, length_penalty: 1 });
    expect(sum(beams)).toBeGreaterThanOrEqual(sum(greedy) - 1e-3);
    const [best, second] = textsOf(beams);
    expect(best).not.toBe(second);
  });

  it('structural_tag', async () => {
    const tag = {
      type: 'structural_tag',
      structures: [{ begin: '<n>', schema: { type: 'integer' }, end: '</n>' }],
      triggers: ['<n>'],
    };
    const response = await complete({ prompt: `${prompt} <n>`, structural_tag: tag, max_tokens: 16 });
    expect(choiceOf(response)['finish_reason']).toMatch(/stop|length/);
  });

  it('priority', async () => {
    const order: string[] = [];
    const long = (name: string, priority: number, tokens: number) =>
      complete({ priority, max_tokens: tokens, ignore_eos: true }).then(() => order.push(name));
    const running = Array.from({ length: 4 }, () => long('running', 0, 60));
    const low = long('low', 5, 40);
    const high = long('high', 0, 1);
    await Promise.all([...running, low, high]);
    expect(order.indexOf('high')).toBeLessThan(order.indexOf('low'));
  });
});

it(
  'streams what it also gives whole, with stop sequences and min_tokens',
  async () => {
    for (const fields of [{}, { stop: [' the'] }, { stop: [' the'], min_tokens: 30 }, { stop: [' a'], logprobs: 1 }]) {
      const body = { ...fields, max_tokens: 60 };
      const [whole] = textsOf(await complete(body));
      const [streamed] = streamedChoices(await complete({ ...body, stream: true }));
      expect(streamed?.text).toBe(whole);
    }
  },
  patience,
);
