import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, countOf, release, streamedChoices, textsOf, user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { textModels } from '../support/trtllm-repository.ts';

const patience = 240_000;
let triton: Trtllm;
let conch: Conch;

beforeAll(async () => {
  triton = await startTrtllm({
    models: textModels,
    values: { guided_decoding_backend: 'xgrammar', max_beam_width: '4' },
  });
  conch = await startConch({
    flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--contract', 'trtllm', '--refresh-interval', '200ms'],
  });
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
});

const models = ['ensemble', 'tensorrt_llm_bls', 'tensorrt_llm_bls_accumulate'] as const;
const complete = (model: string, body: object): Promise<Response> =>
  post(`${conch.url}/v1/completions`, { model, ...body });
const choiceOf = ({ body }: Response) => (body['choices'] as Record<string, unknown>[])[0];
const usageOf = ({ body }: Response) => body['usage'] as Record<string, number>;

describe.each(models)('%s, spoken to in text', (model) => {
  it('answers with the text, the counts and the reason', async () => {
    const whole = await complete(model, { prompt: directive({ tokens: 5 }) });
    expect(choiceOf(whole)).toEqual({ index: 0, text: ' a b c d e', logprobs: null, finish_reason: 'stop' });
    const streamed = await complete(model, { prompt: directive({ tokens: 5 }), stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: ' a b c d e', reasons: ['stop'] }]);
    const { prompt_tokens: prompt = 0, completion_tokens: response = 0 } = usageOf(whole);
    expect([prompt > 5, response >= 5 && response <= 6]).toEqual([true, true]);
  });

  it('says length when the length ran out', async () => {
    const prompt = directive({ tokens: 20 });
    const whole = await complete(model, { prompt, max_tokens: 5 });
    expect(choiceOf(whole)).toMatchObject({ text: ' a b c d e', finish_reason: 'length' });
    expect(usageOf(whole)['completion_tokens']).toBe(5);
    const streamed = await complete(model, { prompt, max_tokens: 5, stream: true });
    expect(streamedChoices(streamed)).toEqual([{ text: ' a b c d e', reasons: ['length'] }]);
  });

  it.each([' c', 'b c d', 'd'])('ends before the stop text %j', async (stop) => {
    const text = ' a b c d e'.slice(0, ' a b c d e'.indexOf(stop));
    // Cut off between two responses: this tritonserver dies of a cancel while they flow.
    const prompt = directive({ tokens: 26, delay_ms: 100 });
    expect(choiceOf(await complete(model, { prompt, stop }))).toMatchObject({ text, finish_reason: 'stop' });
    expect(streamedChoices(await complete(model, { prompt, stop, stream: true }))).toEqual([
      { text, reasons: ['stop'] },
    ]);
  });

  it('never gives the prompt back, in chats neither', async () => {
    const response = await post(`${conch.url}/v1/chat/completions`, {
      model,
      messages: user(directive({ tokens: 3 })),
    });
    expect(textsOf(response)).toEqual([' a b c']);
  });

  it('refuses by name what only token ids can do', async () => {
    const bodies = { logprobs: 0, logit_bias: { 5: 1 }, allowed_token_ids: [5], min_p: 0.5 };
    for (const [param, value] of Object.entries(bodies)) {
      const { status, body } = await complete(model, { prompt: 'x', [param]: value });
      expect([status, body.error?.['code'], body.error?.['param']]).toEqual([400, 'unsupported_parameter', param]);
    }
  });
});

describe('a client that leaves', () => {
  const leaveAt = async (model: string, tag: string): Promise<void> => {
    const body = { model, prompt: directive({ tokens: 400, hold_at: 3, tag }), stream: true };
    const { until, leave } = begin(`${conch.url}/v1/completions`, body);
    await until(' c"');
    await leave();
  };

  it('ends the request in the engine behind an ensemble, which is told to stop it', async () => {
    await leaveAt('ensemble', 'leaver of the ensemble');
    const { state, tokens } = await countOf(conch.url, 'leaver of the ensemble', {
      model: 'ensemble',
      until: 'cancelled',
    });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });

  it('leaves the engine behind a BLS model running: nothing gets through to it', async () => {
    const tag = 'leaver of BLS';
    await leaveAt('tensorrt_llm_bls', tag);
    expect(await countOf(conch.url, tag, { model: 'ensemble' })).toEqual({ state: 'held', tokens: 3 });
    await release(conch.url, tag, 'ensemble');
    expect(await countOf(conch.url, tag, { model: 'ensemble', until: 'finished' })).toMatchObject({
      state: 'finished',
    });
  });
});

describe('a stop text that the engine does not know by its tokens', () => {
  it('ends the request in the engine behind an ensemble', async () => {
    const tag = 'stop text of the ensemble';
    const prompt = directive({ tokens: 400, hold_at: 3, tag });
    expect(textsOf(await complete('ensemble', { prompt, stop: 'b c' }))).toEqual([' a ']);
    const { state, tokens } = await countOf(conch.url, tag, { model: 'ensemble', until: 'cancelled' });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });
});

describe('characters that are split over tokens', () => {
  const response = 'A 🦄 in 東京';

  it('are whole behind a BLS model that accumulates', async () => {
    const streamed = await complete('tensorrt_llm_bls_accumulate', {
      prompt: directive({ answer: response }),
      stream: true,
    });
    expect(streamedChoices(streamed)).toEqual([{ text: response, reasons: ['stop'] }]);
    expect(streamed.text).not.toContain('\uFFFD');
  });

  it('are lost behind an ensemble, whose postprocessing replaces both halves', async () => {
    const streamed = await complete('ensemble', { prompt: directive({ answer: response }), stream: true });
    expect(streamedChoices(streamed)[0]?.text).toContain('\uFFFD');
  });
});

describe('bad input', () => {
  it.each(models)('is a 400 behind %s too, and the model goes on', async (model) => {
    const long = await complete(model, { prompt: 'word '.repeat(5000) });
    expect([long.status, long.body.error]).toEqual([
      400,
      {
        message: expect.stringMatching(/^The prompt has 500\d tokens; .*4096/),
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'context_length_exceeded',
      },
    ]);
    const guide = await complete(model, { prompt: 'x', guided_regex: '(' });
    expect([guide.status, guide.body.error?.['param']]).toEqual([400, 'guided_regex']);
    expect(textsOf(await complete(model, { prompt: directive({ tokens: 2 }) }))).toEqual([' a b']);
  });
});
