import { describe, expect, it } from 'vitest';
import { type BodyOptions, requestBody } from './request-body.ts';

const prompt = { text: 'Why?', tokens: 2, outputTokens: 9 };
const options: BodyOptions = {
  endpoint: 'chat',
  model: 'm',
  isStreaming: true,
  limitField: 'max_tokens',
  ignoresEnd: false,
  extra: {},
};

describe('requestBody', () => {
  it.each<[string, Partial<BodyOptions>, object]>([
    [
      'a streamed chat',
      {},
      {
        model: 'm',
        messages: [{ role: 'user', content: 'Why?' }],
        max_tokens: 9,
        stream: true,
        stream_options: { include_usage: true },
      },
    ],
    [
      'a whole completion of a held length',
      { endpoint: 'completions', isStreaming: false, ignoresEnd: true, limitField: 'max_completion_tokens' },
      { model: 'm', prompt: 'Why?', max_completion_tokens: 9, ignore_eos: true, min_tokens: 9 },
    ],
    [
      'embeddings with a field of their own',
      { endpoint: 'embeddings', isStreaming: false, extra: { dimensions: 8 } },
      { model: 'm', input: 'Why?', dimensions: 8 },
    ],
    [
      'fields that replace ours',
      { isStreaming: false, extra: { max_tokens: 3, temperature: 0 } },
      { model: 'm', messages: [{ role: 'user', content: 'Why?' }], max_tokens: 3, temperature: 0 },
    ],
  ])('writes %s', (_name, changed, expected) => {
    expect(JSON.parse(requestBody(prompt, { ...options, ...changed }))).toEqual(expected);
  });
});
