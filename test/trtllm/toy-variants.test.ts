import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readText } from '../../src/kserve/tensors.ts';
import { directive } from '../support/exchange.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels, type TrtllmOptions } from '../support/trtllm-repository.ts';
import { type Inputs, ToyClient } from './toy-client.ts';

let triton: Trtllm;
let client: ToyClient;

function useServer(options: TrtllmOptions) {
  beforeAll(async () => {
    triton = await startTrtllm(options);
    client = new ToyClient(triton.grpcPort);
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await triton?.stop();
  });
}

const ask = (model: string, orders: object, inputs: Inputs = {}) =>
  client.ask(model, {
    text_input: directive({ ...orders }),
    max_tokens: 100,
    exclude_input_in_output: true,
    ...inputs,
  });
const textsOf = async (model: string, orders: object, inputs: Inputs = {}) =>
  (await ask(model, orders, inputs)).messages.flatMap(({ outputs }) => (outputs['text_output'] as string[]) ?? []);

describe('models that are not decoupled', () => {
  useServer({
    decoupled: false,
    models: [...chainModels, 'tensorrt_llm_bls', 'llmapi'],
  });

  it.each(['ensemble', 'tensorrt_llm_bls'])('answer a call once: %s', async (model) => {
    const inputs = { text_input: directive({ answer: 'one two' }), max_tokens: 9, exclude_input_in_output: true };
    const response = await client.server.infer(await client.request(model, inputs));
    expect(readText(response.raw('text_output') ?? Buffer.alloc(0))).toBe('one two');
    const { config } = await client.server.call('ModelConfig', { name: model, version: '' });
    expect(config.model_transaction_policy?.decoupled ?? false).toBe(false);
  });

  it('refuse to stream', async () => {
    const refused = /Streaming is only supported in decoupled mode\./;
    expect((await ask('ensemble', { answer: 'one' }, { stream: true })).error).toMatch(refused);
    expect((await ask('tensorrt_llm_bls', { answer: 'one' }, { stream: true })).error).toMatch(refused);
    const { error } = await client.ask('llmapi', { text_input: 'Hi', streaming: true });
    expect(error).toBe('Error generating request: Streaming is only supported in decoupled mode.');
  });

  it('answer several requests at the same time', async () => {
    const held = textsOf('ensemble', { tokens: 3, hold_at: 1, tag: 'held' });
    expect(await textsOf('ensemble', { count_of: 'held', until: 'held' })).toEqual(['{"tokens": 1, "state": "held"}']);
    await textsOf('ensemble', { release: 'held' });
    expect(await held).toEqual([' a b c']);
  });
});

describe('models of TensorRT-LLM 0.16 with a SentencePiece tokenizer', () => {
  useServer({
    release: '0.16',
    tokenizer: 'llama2',
    models: [...chainModels, 'tensorrt_llm_bls'],
  });

  it('have the old names, and no token counts', async () => {
    const { config } = await client.server.call('ModelConfig', { name: 'ensemble', version: '' });
    const names = config.input.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['random_seed', 'min_length', 'return_kv_cache_reuse_stats']));
    expect(names.filter((name) => /^(seed|min_tokens|return_num_.*|guided_.*)$/.test(name))).toEqual([]);
    expect(config.output.map(({ name }) => name)).not.toContain('num_output_tokens');
    const [text = ''] = await textsOf('tensorrt_llm_bls', { echo_parameters: true }, { random_seed: 3, min_length: 2 });
    expect(JSON.parse(text)).toMatchObject({ random_seed: 3, min_length: 2, end_id: 2 });
  });

  it('lose the space before each word of a stream', async () => {
    expect(await textsOf('ensemble', { answer: 'one two three' })).toContain('one two three');
    const streamed = await textsOf('ensemble', { answer: 'one two three' }, { stream: true });
    expect(streamed.join('')).toBe('onetwothree');
  });
});

describe('an engine with one place and a queue of two', () => {
  useServer({
    models: chainModels,
    values: { max_queue_size: '2' },
    engine: { max_batch_size: 1, gather_generation_logits: false },
  });

  // Triton's own queues are as short: nothing may wait while the tokenizers are read.
  beforeAll(() => textsOf('ensemble', { answer: 'ready' }));

  it('lets two requests wait and refuses the next', async () => {
    const stream = { stream: true };
    const held = textsOf('ensemble', { tokens: 2, hold_at: 1, tag: 'first' }, stream);
    expect((await client.count('ensemble', 'first', 'held')).state).toBe('held');
    const second = textsOf('ensemble', { tokens: 1, tag: 'second' }, stream);
    expect((await client.count('ensemble', 'second', 'running')).tokens).toBe(0);
    const third = textsOf('ensemble', { tokens: 1, tag: 'third' }, stream);
    expect((await client.count('ensemble', 'third', 'running')).tokens).toBe(0);
    expect((await ask('ensemble', { tokens: 1 })).error).toBe(
      "in ensemble 'ensemble', Maximum queue size of 2 has been reached, please try again later",
    );
    await textsOf('ensemble', { release: 'first' }, stream);
    expect((await Promise.all([held, second, third])).map((texts) => texts.join(''))).toEqual([' a b', ' a', ' a']);
  });

  it('normalises log probabilities and has no logits and no guides', async () => {
    const { messages } = await ask('ensemble', { tokens: 3 }, { return_log_probs: true, top_k: 1 });
    const values = messages.flatMap(({ outputs }) => outputs['output_log_probs']).flat(2) as number[];
    const [sum] = messages.flatMap(({ outputs }) => outputs['cum_log_probs']).flat(1);
    expect(values).toHaveLength(4);
    expect(sum).toBeCloseTo(
      values.reduce((sum, value) => sum + value, 0),
      4,
    );
    expect(Math.min(...values)).toBeGreaterThan(-0.28 / 3);
    expect((await ask('ensemble', {}, { return_generation_logits: true })).error).toMatch(
      /Assertion failed: To return generation logits, gather_generation_logits must be enabled in ExecutorConfig/,
    );
    expect((await ask('ensemble', {}, { guided_decoding_guide_type: 'json' })).error).toMatch(
      /Request is specified with GuidedDecodingParams, but GuidedDecoder is not setup/,
    );
  });
});
