import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVllmLogprobs } from '../../src/contracts/vllm-logprobs.ts';
import { boolTensor } from '../../src/kserve/tensors.ts';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { ask, chat, modelName, startEmbedded } from './support.ts';

describe('sampling parameters', () => {
  let server: EmbeddedServer;
  const story = chat('Tell me a story about a fox.');

  beforeAll(async () => {
    server = await startEmbedded();
  });

  afterAll(() => server.close());

  async function idOf(text: string): Promise<number> {
    const ids = await server.tokenizerOf(modelName).encode(text, { addSpecialTokens: false });
    expect(ids).toHaveLength(1);
    return ids[0] ?? -1;
  }

  it('repeats itself with a seed, and does not without one', async () => {
    const sampling = { max_tokens: 24, temperature: 1.5 };
    const texts = async (seed?: number) =>
      (await ask(server, { prompt: story, sampling: seed === undefined ? sampling : { ...sampling, seed } })).text;
    expect(await texts(7)).toBe(await texts(7));
    expect(await texts(7)).not.toBe(await texts(8));
    expect(await texts()).not.toBe(await texts());
  });

  it('takes the likeliest token at temperature 0, with top_k 1 and with a tiny top_p', async () => {
    const { text } = await ask(server, { prompt: story, sampling: { max_tokens: 12, temperature: 0 } });
    for (const narrow of [{ top_k: 1 }, { top_p: 1e-6 }, { min_p: 1 }])
      expect((await ask(server, { prompt: story, sampling: { max_tokens: 12, ...narrow } })).text).toBe(text);
  });

  it('honours logit_bias, allowed_token_ids and bad_words', async () => {
    const paris = await idOf(' Paris');
    const prompt = 'The capital of France is';
    const first = async (extra: object) =>
      (await ask(server, { prompt, sampling: { max_tokens: 1, temperature: 0, ...extra } })).text;
    expect(await first({})).toBe(' Paris');
    expect(await first({ logit_bias: { [paris]: -100 } })).not.toBe(' Paris');
    expect(await first({ logit_bias: { [await idOf(' banana')]: 100 } })).toBe(' banana');
    expect(await first({ allowed_token_ids: [await idOf(' Rome'), await idOf(' banana')] })).toMatch(/ Rome| banana/);
    expect(await first({ bad_words: ['Paris'] })).not.toBe(' Paris');
  });

  it('bans a bad word of several tokens where it would be completed', async () => {
    const tokenizer = server.tokenizerOf(modelName);
    const plain = await ask(server, { prompt: story, sampling: { max_tokens: 40, temperature: 0 } });
    const word = /\w{4,} \w{4,}/.exec(plain.text)?.[0] ?? '';
    expect(await tokenizer.count(word, { addSpecialTokens: false })).toBeGreaterThan(1);
    const { text } = await ask(server, {
      prompt: story,
      sampling: { max_tokens: 40, temperature: 0, bad_words: [word] },
    });
    expect(text).not.toContain(` ${word}`);
  });

  it('punishes repetition', async () => {
    const [fox, bear] = [await idOf(' fox'), await idOf(' bear')];
    const base = { max_tokens: 20, temperature: 0, allowed_token_ids: [fox, bear], logit_bias: { [fox]: 8 } };
    const count = async (extra: object): Promise<number> => {
      const { text } = await ask(server, { prompt: 'Here comes a fox and a', sampling: { ...base, ...extra } });
      return text.split(' fox').length - 1;
    };
    expect(await count({})).toBe(20);
    expect(await count({ repetition_penalty: 5 })).toBeLessThan(20);
    expect(await count({ frequency_penalty: 2 })).toBeLessThan(16);
    expect(await count({ presence_penalty: 2 })).toBe(20);
    expect(await count({ repetition_penalty: 1.1, presence_penalty: 2, frequency_penalty: 2 })).toBeLessThan(16);
  });

  it('stops at a stop text across tokens and takes it away, or leaves it', async () => {
    const plain = await ask(server, { prompt: story, sampling: { max_tokens: 40, temperature: 0 } });
    const stop = plain.text.slice(20, 31);
    const at = plain.text.indexOf(stop);
    const stopped = await ask(server, { prompt: story, sampling: { max_tokens: 40, temperature: 0, stop } });
    expect(stopped).toMatchObject({ text: plain.text.slice(0, at), finish: 'stop' });
    expect(stopped.outputTokens).toBeLessThan(40);
    const stored = await ask(server, {
      prompt: story,
      sampling: { max_tokens: 40, temperature: 0, stop: [stop], include_stop_str_in_output: true },
    });
    expect(stored.text).toBe(plain.text.slice(0, at + stop.length));
  });

  it('stops at a stop token, goes on past EOS when told, and not before min_tokens', async () => {
    const prompt = chat('Say hi.');
    const plain = await ask(server, { prompt, sampling: { max_tokens: 60, temperature: 0 } });
    expect(plain.finish).toBe('stop');
    const more = await ask(server, { prompt, sampling: { max_tokens: 60, temperature: 0, ignore_eos: true } });
    expect(more).toMatchObject({ outputTokens: 60, finish: 'length' });
    expect(more.text.startsWith(plain.text)).toBe(true);
    const later = await ask(server, {
      prompt,
      sampling: { max_tokens: 80, temperature: 0, min_tokens: plain.outputTokens + 5 },
    });
    expect(later.outputTokens).toBeGreaterThanOrEqual(plain.outputTokens + 5);
    const [, second] = await server.tokenizerOf(modelName).encode(plain.text, { addSpecialTokens: false });
    const cut = await ask(server, { prompt, sampling: { max_tokens: 60, temperature: 0, stop_token_ids: [second] } });
    expect(cut).toMatchObject({ outputTokens: 2, finish: 'stop' });
    const marked = await ask(server, {
      prompt,
      sampling: { max_tokens: 60, temperature: 0, ignore_eos: true, skip_special_tokens: false },
    });
    expect(marked.text).toContain('<|im_end|>');
  });

  it('names the logprobs of the model itself, the chosen token first', async () => {
    const { responses } = await ask(server, {
      prompt: 'The capital of France is',
      sampling: { max_tokens: 3, temperature: 0, logprobs: 4 },
    });
    const json = responses[0]?.text('logprobs') ?? '';
    const [first] = readVllmLogprobs(json, 4);
    expect(first?.text).toBe(' Paris');
    expect(first?.top).toHaveLength(4);
    expect(first?.top[0]?.logprob).toBe(first?.logprob);
    expect(first?.logprob).toBeLessThan(0);
    const sum = first?.top.reduce((total, { logprob }) => total + Math.exp(logprob), 0) ?? 0;
    expect(sum).toBeGreaterThan(0.5);
    expect(sum).toBeLessThanOrEqual(1);
    const all = responses.map((response) => readVllmLogprobs(response.text('logprobs') ?? '', 4)[0]?.logprob ?? 0);
    const cumulative = responses.at(-1)?.raw('cumulative_logprob')?.readFloatLE(0) ?? 0;
    expect(cumulative).toBeCloseTo(
      all.reduce((total, figure) => total + figure, 0),
      3,
    );
  });

  it('names a chosen token beyond the top N first, and reports the same figures whatever the temperature', async () => {
    const banana = await idOf(' banana');
    const sampling = { max_tokens: 1, temperature: 0, logprobs: 2 };
    const forced = await ask(server, {
      prompt: 'The capital of France is',
      sampling: { ...sampling, logit_bias: { [banana]: 100 } },
    });
    const entries = forced.responses[0]?.text('logprobs') ?? '';
    expect(entries.startsWith(`[{"${banana}": {"logprob": -`)).toBe(true);
    expect(readVllmLogprobs(entries, 2)[0]?.top.map(({ text }) => text)[0]).toBe(' Paris');
    expect(entries.match(/logprob/g)).toHaveLength(3);
    const warm = await ask(server, {
      prompt: 'The capital of France is',
      sampling: { ...sampling, temperature: 2, top_k: 1 },
    });
    const cold = await ask(server, { prompt: 'The capital of France is', sampling });
    expect(warm.responses[0]?.text('logprobs')).toBe(cold.responses[0]?.text('logprobs'));
  });

  it('says null and NaN where no logprobs were asked for', async () => {
    const inputs = [boolTensor('return_logprobs', true), boolTensor('return_cumulative_logprob', true)];
    const { responses } = await ask(server, { sampling: { max_tokens: 1 }, inputs });
    expect(responses[0]?.text('logprobs')).toBe('null');
    expect(responses[0]?.raw('cumulative_logprob')?.readFloatLE(0)).toBeNaN();
  });

  it.each([
    [{ max_tokens: 0 }, /sampling_parameters\.max_tokens: .*>=1/],
    [{ temperature: -1 }, /sampling_parameters\.temperature: /],
    [{ top_p: 2 }, /sampling_parameters\.top_p: /],
    [{ frequency_penalty: 3 }, /sampling_parameters\.frequency_penalty: /],
    [{ n: 2 }, /sampling_parameters\.n: must be 1: send one request for each choice/],
    [{ nonsense: 1 }, /sampling_parameters\.nonsense: not supported; remove this parameter\./],
    [{ guided_decoding: '{}' }, /sampling_parameters\.guided_decoding: not supported; use structured_outputs/],
    [{ logprobs: 100 }, /Requested sample logprobs of 100, which is greater than max allowed: 20/],
    [{ min_tokens: 9, max_tokens: 3 }, /min_tokens: must be at most max_tokens \(3\), not 9/],
    [{ stop_token_ids: [99_999_999] }, /stop_token_ids: the token id 99999999 does not exist/],
    [{ logit_bias: { x: 1 } }, /logit_bias/],
    [{ structured_outputs: { json: {} } }, /structured_outputs: must be a JSON string/],
    [{ lora_name: 'x' }, /LoRA feature is not enabled\./],
  ])('refuses %j in words', async (sampling, message) => {
    await expect(ask(server, { sampling })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });
});
