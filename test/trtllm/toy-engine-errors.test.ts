import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import type { Inputs } from './toy-client.ts';
import { endToken as end, idsOf, outputsOf, startEngine, type ToyEngine } from './toy-engine.ts';

let engine: ToyEngine;
beforeAll(async () => {
  engine = await startEngine({
    values: { max_beam_width: '4', guided_decoding_backend: 'xgrammar' },
    engine: { max_input_len: 200 },
  });
}, 120_000);
afterAll(() => engine?.stop());

const ask = (orders: object, inputs: Inputs = {}, id = 'one') => engine.ask(directive({ ...orders }), inputs, { id });

describe('an error of the engine', () => {
  const processing = (text: string) =>
    `An error occurred when processing the input values for request id one, the error was '${text}'`;
  const fetching = (text: string) =>
    new RegExp(`^Encountered an error when fetching new request: ${text} \\(/src/.*\\)\\n1 {7}0x`);

  it.each<[string, Inputs, string | RegExp]>([
    [
      'a long prompt',
      { input_ids: Array.from({ length: 201 }, () => 5), input_lengths: 201 },
      fetching(
        'Prompt length \\(201\\) exceeds maximum input length \\(200\\)\\. Set log level to info and check TRTGptModel .*',
      ),
    ],
    ['no prompt', { input_ids: [], input_lengths: 0 }, processing('Invalid format for input_ids')],
    ['a token that does not exist', { input_ids: [151_680], input_lengths: 1 }, fetching('.*out of range')],
    ['no length', { request_output_len: 0 }, processing('[TensorRT-LLM][ERROR] Assertion failed: mMaxNewTokens > 0')],
    ['too many beams', { beam_width: 5 }, /Requested beam width 5 is larger than configured max beam width 4$/],
    [
      'an end token out of range',
      { end_id: -2 },
      fetching('.*EndId \\(-2\\) is not within acceptable range \\[-1, 151680\\)\\.'),
    ],
    [
      'a schema that is none',
      { guided_decoding_guide_type: 'json_schema', guided_decoding_guide: '{' },
      /^Encountered an error in forwardAsync function: .*Failed to parse JSON schema/,
    ],
    [
      'a regex that is none',
      { guided_decoding_guide_type: 'regex', guided_decoding_guide: '(' },
      /^Encountered an error in forwardAsync function: .*Regex parsing error/,
    ],
  ])('for %s reads as TensorRT-LLM has it', async (_name, inputs, text) => {
    const { messages, error } = await engine.ask('Hello', inputs);
    expect(messages).toEqual([]);
    expect(error).toMatch(text);
  });

  it('for an adapter that is not cached asks for its weights, once', async () => {
    const cached = await ask({ answer: 'one' }, { lora_task_id: 42 });
    expect(cached).toMatchObject({
      messages: [],
      error: 'LoRA task 42 not found in cache. Please send LoRA weights with request',
    });
    const weights = { lora_task_id: 42, lora_weights: [[0, 0]], lora_config: [[0, 0, 8]] };
    expect(idsOf(await ask({ answer: 'one' }, weights))).toEqual([603, end]);
    expect(idsOf(await ask({ answer: 'one' }, { lora_task_id: 42 }))).toEqual([603, end]);
  });

  it('can come after data', async () => {
    const response = await ask({ tokens: 5, error_at: 2, error_text: 'out of paper' });
    expect([response.messages.length, response.error]).toEqual([2, 'out of paper']);
  });
});

describe('stopping', () => {
  const count = async (tag: string, until: string) =>
    JSON.parse(await engine.textOf(await ask({ count_of: tag, until }, {}, 'counting')));

  it('by an input answers an empty response, and the request ends with what it has', async () => {
    const held = ask({ tokens: 9, hold_at: 2, tag: 'stopped' }, {}, 'mine');
    expect(await count('stopped', 'held')).toEqual({ tokens: 2, state: 'held' });
    expect(await ask({}, { stop: true }, 'mine')).toMatchObject({ messages: [{ final: true, outputs: {} }] });
    expect(outputsOf(await held, 'sequence_length')).toEqual([[[1]], [[1]], [[0]]]);
    expect(await count('stopped', 'cancelled')).toEqual({ tokens: 2, state: 'cancelled' });
  });

  it('needs an id, which may be unknown', async () => {
    expect((await ask({}, { stop: true }, '')).error).toBe('A request id must be provided for request cancellation');
    expect(await ask({}, { stop: true }, 'nobody')).toMatchObject({ messages: [{ final: true, outputs: {} }] });
  });

  it('by cancelling the call is noticed', async () => {
    const leave = new AbortController();
    const onResponses = (received: number) => {
      if (received === 2) leave.abort();
    };
    const options = { signal: leave.signal, onResponses };
    const left = await engine.ask(directive({ tokens: 9, hold_at: 2, tag: 'left' }), {}, options);
    expect(left.messages).toHaveLength(2);
    expect(await count('left', 'cancelled')).toEqual({ tokens: 2, state: 'cancelled' });
  });
});
