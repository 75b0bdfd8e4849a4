import { describe, expect, it } from 'vitest';
import type { GenerateEvent } from '../../contracts/events.ts';
import { ApiError } from '../../errors.ts';
import type { CompletionOptions } from '../../generate/completion-options.ts';
import { ChunkWriter } from './chunks.ts';
import { chatShape, completionShape } from './shapes.ts';

const head = { id: 'chatcmpl-1', created: 7, model: 'm', fingerprint: 'fp', serviceTier: undefined };
const optionsOf = (parts: Partial<CompletionOptions> = {}): CompletionOptions => ({
  head,
  inferenceId: 'chatcmpl-1',
  choices: 1,
  usage: { inTheEnd: false, onEveryChunk: false },
  wantsLogprobs: false,
  wantsTokenIds: false,
  streamInterval: 1,
  sendsEveryToken: false,
  namesTokenIds: false,
  ...parts,
});
const said = (text: string, choice = 0, tokens = 1): GenerateEvent => ({
  type: 'text-delta',
  choice,
  text,
  tokens,
  logprobs: undefined,
});
const finish: GenerateEvent = { type: 'finish', choice: 0, reason: 'stop' };

/** The chunks of a stream, as a client reads them. */
function read(text: string): Record<string, unknown>[] {
  expect(text === '' || text.endsWith('\n\n')).toBe(true);
  return text
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
}

const chunk = (choice: object, more = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'm',
  system_fingerprint: 'fp',
  choices: [{ index: 0, logprobs: null, finish_reason: null, ...choice }],
  ...more,
});

describe('the chunks of a chat', () => {
  it('open each choice, then carry its parts', () => {
    const writer = new ChunkWriter(chatShape, optionsOf());
    expect(read(writer.begin([{ type: 'prompt-tokens', count: 3 }, said('Hi "you"\n')]))).toEqual([
      chunk({ delta: { role: 'assistant', content: '', refusal: null } }),
      chunk({ delta: { content: 'Hi "you"\n' } }),
    ]);
    const call: GenerateEvent = {
      type: 'tool-call-delta',
      choice: 0,
      index: 0,
      id: 'call_1',
      name: 'f',
      arguments: '',
    };
    const more: GenerateEvent = { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{}' };
    const rest = [said(''), { type: 'reasoning-delta', choice: 0, text: 'Hm' } as const, call, more, finish];
    expect(read(rest.map((event) => writer.write(event)).join(''))).toEqual([
      chunk({ delta: { reasoning_content: 'Hm', reasoning: 'Hm' } }),
      chunk({
        delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      }),
      chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } }),
      chunk({ delta: {}, finish_reason: 'stop' }),
    ]);
    expect(writer.end()).toBe('data: [DONE]\n\n');
  });

  it('are written byte for byte as before', () => {
    const writer = new ChunkWriter(chatShape, optionsOf());
    expect(writer.write(said('é'))).toBe(
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":7,"model":"m","system_fingerprint":"fp",' +
        '"choices":[{"index":0,"delta":{"content":"é"},"logprobs":null,"finish_reason":null}]}\n\n',
    );
  });

  it('number their choices', () => {
    const writer = new ChunkWriter(chatShape, optionsOf({ choices: 2 }));
    const chunks = read(writer.begin([said('a', 1)]));
    expect(chunks.map(({ choices }) => (choices as { index: number }[])[0]?.index)).toEqual([0, 1, 1]);
  });

  it('say the usage in the end, or on every chunk', () => {
    const usage = { type: 'usage', promptTokens: 3, completionTokens: 2, cachedTokens: 1 } as const;
    const drafts = { draftTokens: 5, acceptedTokens: 3 };
    const inTheEnd = new ChunkWriter(chatShape, optionsOf({ usage: { inTheEnd: true, onEveryChunk: false } }));
    expect(read(inTheEnd.write(said('a')) + inTheEnd.write(usage)).map((each) => each['usage'])).toEqual([
      null,
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } },
    ]);
    const drafted = new ChunkWriter(chatShape, optionsOf({ usage: { inTheEnd: true, onEveryChunk: false } }));
    expect(read(drafted.write({ ...usage, ...drafts, reasoningTokens: 1 })).at(-1)?.['usage']).toEqual({
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1 },
      completion_tokens_details: {
        reasoning_tokens: 1,
        accepted_prediction_tokens: 3,
        rejected_prediction_tokens: 2,
      },
    });
    const always = new ChunkWriter(chatShape, optionsOf({ usage: { inTheEnd: false, onEveryChunk: true } }));
    const text = always.begin([{ type: 'prompt-tokens', count: 3 }, said('a'), said('b', 0, 2), finish]);
    expect(read(text).map(({ usage: so }) => (so as { total_tokens: number }).total_tokens)).toEqual([3, 4, 6, 6]);
    expect(always.write(usage)).toBe('');
  });

  it('carry logprobs, also of tokens that show no text', () => {
    const writer = new ChunkWriter(chatShape, optionsOf({ wantsLogprobs: true }));
    const token = { id: 7, text: 'a', logprob: -0.5, top: [] };
    const [displayed] = read(writer.write({ type: 'text-delta', choice: 0, text: '', tokens: 1, logprobs: [token] }));
    expect(displayed).toEqual(
      chunk({
        delta: { content: '' },
        logprobs: { content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }], refusal: null },
      }),
    );
  });

  it('end with the error of one that failed, and no end mark', () => {
    const writer = new ChunkWriter(chatShape, optionsOf());
    expect(read(writer.fail(new ApiError('backend_error', 'It failed.')))).toEqual([
      { error: { message: 'It failed.', type: expect.any(String) as string, param: null, code: 'backend_error' } },
    ]);
  });
});

it('the chunks of a completion have no opening', () => {
  const writer = new ChunkWriter(completionShape, optionsOf());
  expect(read(writer.begin([said('a'), finish])).map(({ object, choices }) => [object, choices])).toEqual([
    ['text_completion', [{ index: 0, text: 'a', logprobs: null, finish_reason: null }]],
    ['text_completion', [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }]],
  ]);
});
