import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InferResponse } from '../../src/kserve/server.ts';
import { boolTensor, numberTensor, textTensor } from '../../src/kserve/tensors.ts';
import { errorOf } from '../grpc/remote.ts';
import { directive } from '../support/exchange.ts';
import { pulled } from '../support/pulled-responses.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { textModels } from '../support/trtllm-repository.ts';
import { type Inputs, type Response, ToyClient } from './toy-client.ts';

let triton: Trtllm;
let client: ToyClient;
beforeAll(async () => {
  triton = await startTrtllm({
    models: textModels,
    values: { max_beam_width: '4', guided_decoding_backend: 'xgrammar' },
  });
  client = new ToyClient(triton.grpcPort);
  // The tokenizers are read with the first request.
  await ask('ensemble', { answer: 'ready' });
}, 120_000);
afterAll(async () => {
  await client?.close();
  await triton?.stop();
});

const ask = (model: string, orders: object, inputs: Inputs = {}, id = 'one'): Promise<Response> =>
  client.ask(model, { text_input: directive({ ...orders }), max_tokens: 100, stream: true, ...inputs }, { id });
const whole = { stream: false, exclude_input_in_output: true };
const texts = ({ messages }: Response) => messages.map(({ outputs }) => outputs['text_output']);
const finals = ({ messages }: Response) => messages.map(({ final }) => final);
const received = async (model: string, inputs: Inputs) => {
  const [text] = texts(await ask(model, { echo_parameters: true }, { ...whole, ...inputs })) as string[][];
  return JSON.parse(text?.[0] ?? '');
};

describe('the ensemble', () => {
  it('is decoupled as its engine is', async () => {
    const { config } = await client.server.call('ModelConfig', { name: 'ensemble', version: '' });
    expect(config).toMatchObject({
      platform: 'ensemble',
      backend: '',
      max_batch_size: 8,
      model_transaction_policy: { decoupled: true },
    });
    expect(config.input.filter(({ optional }) => optional !== true).map(({ name }) => name)).toEqual([
      'text_input',
      'max_tokens',
    ]);
  });

  it('streams the text of each token by itself', async () => {
    const response = await ask('ensemble', { answer: 'one two' }, { return_num_output_tokens: true });
    expect(response.messages.filter(({ outputs }) => 'text_output' in outputs)).toEqual([
      { final: false, outputs: { text_output: ['one'], num_output_tokens: [[1]] } },
      { final: false, outputs: { text_output: [' two'], num_output_tokens: [[1]] } },
      { final: expect.any(Boolean), outputs: { text_output: [''], num_output_tokens: [[1]] } },
    ]);
    expect(finals(response).filter(Boolean)).toEqual([true]);
    expect(finals(response).at(-1)).toBe(true);
  });

  it('loses a character that is split over tokens', async () => {
    expect(
      texts(await ask('ensemble', { answer: 'a🧑‍🚀b' }))
        .flat()
        .join(''),
    ).toBe('a🧑\uFFFD\uFFFD🚀b');
    expect(
      texts(await ask('ensemble', { answer: 'a🧑‍🚀b' }, whole))
        .flat()
        .join(''),
    ).toBe('a🧑‍🚀b');
  });

  it('answers at once with the prompt in front, unless that is excluded', async () => {
    const prompt = directive({ answer: 'one two' });
    expect(texts(await ask('ensemble', { answer: 'one two' }, { stream: false }))).toContainEqual([`${prompt}one two`]);
    expect(texts(await ask('ensemble', { answer: 'one two' }, whole))).toContainEqual(['one two']);
  });

  it('leaves a stop word in the text', async () => {
    expect(
      texts(await ask('ensemble', { answer: 'one two three' }, { stop_words: [' two'] }))
        .flat()
        .join(''),
    ).toBe('one two');
  });

  it('gives the engine words as ids, and the ids of the tokenizer', async () => {
    const inputs = { stop_words: [' two', 'foo bar'], bad_words: [''], embedding_bias_words: [' two'] };
    expect(await received('ensemble', { ...inputs, embedding_bias_weights: [-2.5], top_k: 4, top_p: 0.5 })).toEqual({
      stop_words_list: [
        [1378, 7975, 3619],
        [1, 3, -1],
      ],
      bad_words_list: [[0], [-1]],
      embedding_bias: { 1378: -2.5 },
      runtime_top_k: 4,
      runtime_top_p: 0.5,
      end_id: 151_645,
      pad_id: 151_643,
      decoder_input_ids: 151_643,
      decoder_input_lengths: 1,
      input_lengths: expect.any(Number),
      request_output_len: 100,
      streaming: false,
      exclude_input_in_output: true,
      request_id: 'one',
    });
  });

  it('answers each row of a batch by itself', async () => {
    const prompts = [directive({ answer: 'one' }), directive({ answer: 'two three' })];
    const responses: InferResponse[] = [];
    const inputs = [
      textTensor('text_input', prompts, [2, 1]),
      numberTensor('max_tokens', { datatype: 'INT32', values: [9, 9], shape: [2, 1] }),
      { ...boolTensor('exclude_input_in_output', true, [2, 1]), data: Buffer.of(1, 1) },
    ];
    for await (const batch of pulled(client.server, { model: 'ensemble', id: 'both', inputs }))
      responses.push(...batch);
    const rows = responses.map((response) => [
      response.raw('batch_index')?.readInt32LE(),
      response.text('text_output'),
    ]);
    expect(new Map(rows as [number, string][])).toEqual(
      new Map([
        [0, 'one'],
        [1, 'two three'],
      ]),
    );
  });

  it('gives one text per beam', async () => {
    const response = await ask('ensemble', { answer: 'one two three' }, { ...whole, beam_width: 2 });
    expect(texts(response)).toContainEqual(['one two three', expect.stringMatching(/^one \w+$/)]);
  });

  it('puts its name before an error', async () => {
    const inputs = { guided_decoding_guide_type: 'json_schema', guided_decoding_guide: '[' };
    const response = await client.ask('ensemble', { text_input: 'Hi', max_tokens: 1, ...inputs });
    expect(response).toMatchObject({
      messages: [],
      error: expect.stringMatching(
        /^in ensemble 'ensemble', Encountered an error in forwardAsync function: /,
      ) as unknown,
    });
  });

  it('refuses a call with one answer', async () => {
    const request = await client.request('ensemble', { text_input: 'Hi', max_tokens: 1 });
    expect(await errorOf(client.server.infer(request))).toEqual({
      code: 'UNIMPLEMENTED',
      message: "ModelInfer RPC doesn't support models with decoupled transaction policy",
      unreachable: false,
    });
  });

  it('can be stopped by its id at the engine', async () => {
    const held = ask('ensemble', { tokens: 9, hold_at: 2, tag: 'stopped' }, {}, 'mine');
    expect(await client.count('ensemble', 'stopped', 'held')).toEqual({ tokens: 2, state: 'held' });
    const stop = { input_ids: [1], input_lengths: 1, request_output_len: 1, stop: true };
    expect((await client.ask('tensorrt_llm', stop, { id: 'mine' })).messages).toEqual([{ final: true, outputs: {} }]);
    expect(texts(await held).slice(0, 3)).toEqual([[' a'], [' b'], ['']]);
    expect(await client.count('ensemble', 'stopped', 'cancelled')).toEqual({ tokens: 2, state: 'cancelled' });
  });
});

describe.each(['tensorrt_llm_bls', 'tensorrt_llm_bls_accumulate'])('%s', (model) => {
  const accumulates = model.endsWith('accumulate');

  it('streams texts, then an empty final response', async () => {
    const response = await ask(model, { answer: 'one two' }, { return_num_output_tokens: true });
    const expected = accumulates ? ['one', 'one two', 'one two'] : ['one', ' two', ''];
    expect(response.messages).toEqual([
      ...expected.map((text) => ({ final: false, outputs: { text_output: [text], num_output_tokens: [[1]] } })),
      { final: true, outputs: {} },
    ]);
  });

  it(`${accumulates ? 'completes' : 'loses'} a character that is split over tokens`, async () => {
    const response = texts(await ask(model, { answer: 'a🧑‍🚀b' })).flat();
    const parts = ['a', '🧑', '\uFFFD', '\uFFFD', '🚀', 'b', '', undefined];
    const sums = ['a', 'a🧑', 'a🧑\uFFFD', 'a🧑\u200D', 'a🧑‍🚀', 'a🧑‍🚀b', 'a🧑‍🚀b', undefined];
    expect(response).toEqual(accumulates ? sums : parts);
  });

  it('leaves a stop word in the text, and nothing behind it', async () => {
    const response = await ask(model, { answer: 'one two three' }, { ...whole, stop_words: ['wo'] });
    expect(response.messages).toEqual([
      { final: false, outputs: { text_output: ['one two'] } },
      { final: true, outputs: {} },
    ]);
  });

  it('does not pass on num_return_sequences', async () => {
    const response = await ask(model, { answer: 'one' }, { ...whole, num_return_sequences: 3, temperature: 0.5 });
    expect(texts(response)).toEqual([['one'], undefined]);
    const { request_id, ...inputs } = await received(model, { num_return_sequences: 3, temperature: 0.5 });
    expect(request_id).toMatch(/^[\da-f-]{36}$/);
    expect(inputs).not.toHaveProperty('num_return_sequences');
    expect(inputs).toMatchObject({ temperature: 0.5, request_output_len: 100, end_id: 151_645 });
  });

  it('shows a traceback as its error', async () => {
    const { messages, error } = await ask(model, {}, { max_tokens: 0 });
    expect(messages).toEqual([]);
    expect(error).toMatch(
      /^Traceback \(most recent call last\):\n[^]*RequestValidationError: max_tokens must be a single value > 0\n$/,
    );
    expect((await ask(model, { tokens: 2, error_at: 0, error_text: 'out of paper' })).error).toMatch(/out of paper\n$/);
  });

  it('loses an error that comes after data', async () => {
    const response = await ask(model, { tokens: 5, error_at: 1, error_apart: true });
    expect(response).toMatchObject({ messages: [{ outputs: { text_output: [' a'] } }, { final: true, outputs: {} }] });
    expect(response.error).toBeUndefined();
  });
});

describe('cancelling', () => {
  it('a call to the ensemble ends it for the client, while the engine goes on', async () => {
    const inputs = { text_input: directive({ tokens: 5, hold_at: 2, tag: 'away' }), max_tokens: 100, stream: true };
    expect((await client.leaveAfter(2, 'ensemble', inputs)).messages).toHaveLength(2);
    expect(await client.count('ensemble', 'away', 'held')).toEqual({ tokens: 2, state: 'held' });
    await ask('ensemble', { release: 'away' });
    expect(await client.count('ensemble', 'away', 'finished')).toEqual({ tokens: 6, state: 'finished' });
  });

  it('a call to the BLS model does not reach the engine', async () => {
    const inputs = { text_input: directive({ tokens: 5, hold_at: 2, tag: 'gone' }), max_tokens: 100, stream: true };
    expect((await client.leaveAfter(2, 'tensorrt_llm_bls', inputs)).messages).toHaveLength(2);
    expect(await client.count('ensemble', 'gone', 'held')).toEqual({ tokens: 2, state: 'held' });
    await ask('ensemble', { release: 'gone' });
    expect(await client.count('ensemble', 'gone', 'finished')).toEqual({ tokens: 6, state: 'finished' });
  });
});
