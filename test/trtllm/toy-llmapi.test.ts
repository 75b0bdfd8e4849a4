import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { type Inputs, type Response, ToyClient } from './toy-client.ts';

let triton: Trtllm;
let client: ToyClient;

function useServer(release: '1.2.1' | 'main') {
  beforeAll(async () => {
    triton = await startTrtllm({ models: ['llmapi'], release });
    client = new ToyClient(triton.grpcPort);
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await triton?.stop();
  });
}

const excluded = { sampling_param_exclude_input_from_output: true };
const ask = (orders: object, inputs: Inputs = {}, id = 'one', timeout = 20_000): Promise<Response> =>
  client.ask('llmapi', { text_input: directive({ ...orders }), streaming: true, ...inputs }, { id, timeout });
const texts = ({ messages }: Response) => messages.map(({ outputs }) => outputs['text_output']);

describe('the model of the LLM API in 1.2.1', () => {
  useServer('1.2.1');

  it('declares no batch', async () => {
    const { config } = await client.server.call('ModelConfig', { name: 'llmapi', version: '' });
    expect(config).toMatchObject({ max_batch_size: 0, model_transaction_policy: { decoupled: true } });
    expect(config.input.map(({ name }) => name)).not.toContain('lora_id');
  });

  it('streams all text so far, each time, and a finish reason that is a text', async () => {
    const inputs = { return_finish_reason: true, return_stop_reason: true, return_cumulative_logprob: true };
    const response = await ask({ answer: 'a🧑‍🚀b' }, inputs);
    const rest = { stop_reason: ['None'], cumulative_logprob: ['None'] };
    expect(response.messages).toEqual([
      ...['a', 'a🧑', 'a🧑', 'a🧑\u200D', 'a🧑‍🚀', 'a🧑‍🚀b'].map((text) => ({
        final: false,
        outputs: { text_output: [text], finish_reason: ['None'], ...rest },
      })),
      { final: true, outputs: { text_output: ['a🧑‍🚀b'], finish_reason: ['stop'], ...rest } },
    ]);
  });

  it('answers at once with the prompt in front, unless that is excluded', async () => {
    const once = { streaming: false, return_finish_reason: true };
    const prompt = directive({ answer: 'one two' });
    expect((await ask({ answer: 'one two' }, once)).messages).toEqual([
      { final: true, outputs: { text_output: [`${prompt}one two`], finish_reason: ['stop'] } },
    ]);
    expect((await ask({ answer: 'one two' }, { ...once, ...excluded, sampling_param_max_tokens: 1 })).messages).toEqual(
      [{ final: true, outputs: { text_output: ['one'], finish_reason: ['length'] } }],
    );
  });

  it('makes 32 tokens where no number is given', async () => {
    expect((await ask({ tokens: 100 })).messages).toHaveLength(32);
  });

  it('takes a stop word away again, of which the beginning was sent', async () => {
    const response = await ask(
      { answer: 'one two three four' },
      {
        sampling_param_stop: [' two three'],
        return_stop_reason: true,
      },
    );
    expect(texts(response)).toEqual([['one'], ['one two'], ['one']]);
    expect(response.messages.at(-1)?.outputs['stop_reason']).toEqual([' two three']);
  });

  it('sends numbers as texts, whatever its configuration says', async () => {
    const inputs = { streaming: false, sampling_param_return_perf_metrics: true, ...excluded };
    const { responses, messages } = await ask({ answer: 'one' }, inputs);
    expect(messages[0]?.outputs).toMatchObject({
      kv_cache_reused_block: ['0'],
      kv_cache_missed_block: ['1'],
      kv_cache_hit_rate: ['0.0'],
      arrival_time_ns: [expect.stringMatching(/^\d+$/)],
    });
    expect(new Set(responses[0]?.outputs.map(({ datatype }) => datatype))).toEqual(new Set(['BYTES']));
  });

  it('says what went wrong', async () => {
    expect(await ask({ tokens: 3, error_at: 0, error_text: 'out of paper' })).toMatchObject({
      messages: [],
      error: 'Error generating request: out of paper',
    });
    expect(await ask({}, { sampling_param_seed: [1, 2] })).toMatchObject({
      messages: [],
      error: expect.stringMatching(/Expected a scalar tensor for tensor sampling_param_seed$|shape/) as unknown,
    });
    const response = await ask({ tokens: 3, error_at: 2 });
    expect(response).toMatchObject({ error: 'Error generating request: the toy was told to fail' });
    expect((await ask({ answer: 'one', stop_fails: true }, { sampling_param_stop: ['x'] })).error).toMatch(
      /^Error generating request: TextEncodeInput must be Union/,
    );
    expect(response.messages).toHaveLength(2);
  });

  it('ends a stopped request as cancelled, and the stop too', async () => {
    const held = ask({ tokens: 9, hold_at: 2, tag: 'stopped' }, { return_finish_reason: true }, 'mine');
    expect(await client.count('llmapi', 'stopped', 'held')).toEqual({ tokens: 2, state: 'held' });
    expect(await ask({}, { stop: true }, 'mine')).toMatchObject({ error: 'Request cancelled by client' });
    const { messages } = await held;
    expect(messages.at(-1)).toEqual({ final: true, outputs: { text_output: [' a b'], finish_reason: ['cancelled'] } });
    expect((await ask({}, { stop: true }, '')).error).toBe('A request id must be provided for request cancellation');
  });

  it('notices that its client has left', async () => {
    const inputs = { text_input: directive({ tokens: 9, hold_at: 2, tag: 'left' }), streaming: true };
    expect((await client.leaveAfter(2, 'llmapi', inputs)).messages).toHaveLength(2);
    expect(await client.count('llmapi', 'left', 'cancelled')).toEqual({ tokens: 2, state: 'cancelled' });
  });
});

describe('the model of the LLM API on the main branch', () => {
  useServer('main');

  it('takes adapters', async () => {
    const [text] = texts(
      await ask(
        { echo_parameters: true },
        { streaming: false, ...excluded, lora_id: 1, lora_name: 'a', lora_path: '/' },
      ),
    );
    expect(JSON.parse((text as string[])[0] ?? '')).toMatchObject({ lora_id: 1, lora_name: 'a', lora_path: '/' });
  });

  it('never answers a bad request', async () => {
    expect((await ask({}, { lora_id: 1 }, 'one', 500)).error).toBe('No response within 500 ms.');
  });

  it('ends a stopped request with an error', async () => {
    const held = ask({ tokens: 9, hold_at: 2, tag: 'stopped' }, {}, 'mine');
    expect(await client.count('llmapi', 'stopped', 'held')).toEqual({ tokens: 2, state: 'held' });
    await ask({}, { stop: true }, 'mine');
    const { messages, error } = await held;
    expect([messages.length, error]).toEqual([2, 'Request cancelled by client']);
  });
});
