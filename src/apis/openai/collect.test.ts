import { expect, it } from 'vitest';
import type { GenerateEvent, Generation } from '../../contracts/events.ts';
import { ApiError } from '../../errors.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { readyGeneration } from '../../generate/ready-generation.ts';
import { collect } from './collect.ts';
import { chatShape, completionShape } from './shapes.ts';

const options: CompletionOptions = {
  head: { id: 'chatcmpl-1', created: 7, model: 'm', fingerprint: 'fp', serviceTier: 'default' },
  inferenceId: 'chatcmpl-1',
  choices: 2,
  usage: { inTheEnd: false, onEveryChunk: false },
  wantsLogprobs: false,
  wantsTokenIds: false,
  streamInterval: 1,
  sendsEveryToken: false,
  namesTokenIds: false,
};
const head = { id: 'chatcmpl-1', created: 7, model: 'm', service_tier: 'default', system_fingerprint: 'fp' };

function batches(...all: GenerateEvent[][]): Generation {
  return readyGeneration(() => all.flat());
}

const said = (choice: number, text: string): GenerateEvent => ({
  type: 'text-delta',
  choice,
  text,
  tokens: 1,
  logprobs: undefined,
});
const call = (parts: object): GenerateEvent => ({
  type: 'tool-call-delta',
  choice: 1,
  index: 0,
  arguments: '',
  ...parts,
});

it('a chat is all of its events together', async () => {
  const events = batches(
    [{ type: 'prompt-tokens', count: 3 }, said(0, 'He'), { type: 'reasoning-delta', choice: 1, text: 'H' }],
    [said(0, 'llo'), { type: 'reasoning-delta', choice: 1, text: 'm' }, call({ id: 'call_1', name: 'f' })],
    [call({ arguments: '{"a"' }), call({ arguments: ':1}' }), { type: 'finish', choice: 0, reason: 'length' }],
    [
      { type: 'finish', choice: 1, reason: 'tool_calls' },
      { type: 'usage', promptTokens: 3, completionTokens: 4, reasoningTokens: 2 },
    ],
  );
  expect(await collect(events, chatShape, options)).toEqual({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'length',
      },
      {
        index: 1,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'Hm',
          reasoning: 'Hm',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
      completion_tokens_details: { reasoning_tokens: 2 },
    },
  });
});

it('a completion has its text, its logprobs and no usage if the backend reports none', async () => {
  const token = (text: string) => ({ id: 1, text, logprob: -1, top: [] });
  const scored = (text: string): GenerateEvent => {
    return { type: 'text-delta', choice: 0, text, tokens: 1, logprobs: [token(text)] };
  };
  const events = batches([scored('a')], [scored('b'), { type: 'finish', choice: 0, reason: 'stop' }]);
  expect(await collect(events, completionShape, { ...options, choices: 1, wantsLogprobs: true })).toEqual({
    ...head,
    object: 'text_completion',
    choices: [
      {
        index: 0,
        text: 'ab',
        logprobs: {
          tokens: ['a', 'b'],
          token_logprobs: [-1, -1],
          top_logprobs: [{ a: -1 }, { b: -1 }],
          text_offset: [0, 1],
        },
        finish_reason: 'stop',
      },
    ],
    usage: null,
  });
});

it('a response that fails is not given', async () => {
  const failing = readyGeneration(() => Promise.reject(new ApiError('backend_error', 'It failed.')));
  await expect(collect(failing, chatShape, options)).rejects.toMatchObject({ code: 'backend_error' });
});
