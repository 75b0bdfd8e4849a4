import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { parseRequest } from '../../requests/fields.ts';
import {
  OllamaChatRequest,
  OllamaEmbeddingsRequest,
  OllamaEmbedRequest,
  OllamaGenerateRequest,
  OllamaShowRequest,
} from './requests.ts';

function refusal(parse: () => unknown): unknown {
  try {
    parse();
    return undefined;
  } catch (error) {
    const { code, message } = error as ApiError;
    return error instanceof ApiError ? [code, message] : error;
  }
}

const chat = (body: object) => refusal(() => parseRequest(OllamaChatRequest, { model: 'toy', ...body }));
const generate = (body: object) => refusal(() => parseRequest(OllamaGenerateRequest, { model: 'toy', ...body }));

describe('a request of Ollama', () => {
  it.each([
    {},
    { messages: [] },
    { messages: [{ role: 'user', content: 'Hi', images: [] }], tools: [], format: '', think: null },
    { messages: [{ role: 'assistant', content: null, tool_calls: [{ function: { name: 'f' } }] }], think: 'high' },
    { options: { temperature: 0, num_predict: -2, stop: 'END', num_ctx: 10, made_up: 'x' }, keep_alive: '5m' },
    { format: 'json', think: false, keep_alive: -1, truncate: true, shift: false, logprobs: true, top_logprobs: 3 },
  ])('to chat may be %j', (body) => expect(chat(body)).toBeUndefined());

  it.each([
    { prompt: 'Hi', system: '', template: '', suffix: '', context: [], images: null },
    { prompt: 'Hi', raw: true, format: { type: 'object' } },
  ])('to generate may be %j', (body) => expect(generate(body)).toBeUndefined());

  it.each([
    [{ messages: 'Hi' }, 'invalid_request', 'messages: must be an array.'],
    [{ messages: [{ role: 'bot' }] }, 'invalid_request', 'messages[0].role: must be system, user, assistant or tool.'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }] },
      'invalid_request',
      'messages[0].tool_calls[0].function.arguments: must be a JSON object, not a string.',
    ],
    [{ options: { temperature: 3 } }, 'invalid_request', 'options.temperature: must be at most 2, not 3.'],
    [{ options: { num_predict: 1.5 } }, 'invalid_request', 'options.num_predict: must be an integer, not 1.5.'],
    [{ format: 'yaml' }, 'invalid_request', 'format: must be json or a JSON schema.'],
    [{ think: 'hard' }, 'invalid_request', 'think: must be true, false, low, medium or high.'],
    [{ keep_alive: {} }, 'invalid_request', 'keep_alive: must be a number of seconds or a duration.'],
    [
      { _debug_render_only: true },
      'unsupported_parameter',
      '_debug_render_only: not supported; use /apply-template to see the prompt.',
    ],
  ])('to chat must not be %j', (body, code, message) => expect(chat(body)).toEqual([code, message]));

  it.each([
    [{ suffix: 'end' }, 'suffix: not supported; models only append text to the prompt.'],
    [
      { template: '{{ .Prompt }}' },
      'template: not supported; templates come with the model or from --chat-template. Set raw for a prompt without template.',
    ],
    [
      { context: [1] },
      'context: not supported; Conch stores nothing between requests. Send the conversation to /api/chat.',
    ],
    [{ width: 64 }, 'width: image generation is not supported.'],
  ])('to generate must not be %j', (body, message) =>
    expect(generate(body)).toEqual(['unsupported_parameter', message]),
  );

  it('to embed has a text or texts', () => {
    const embed = (body: object) => refusal(() => parseRequest(OllamaEmbedRequest, { model: 'toy', ...body }));
    expect([{ input: 'a' }, { input: ['a', 'b'], dimensions: 2, truncate: true }].map(embed)).toEqual([
      undefined,
      undefined,
    ]);
    expect(embed({})).toEqual(['invalid_request', 'The field input is required.']);
    expect(embed({ input: ['a', ''] })).toEqual(['invalid_request', 'input[1]: must not be empty.']);
    expect(embed({ input: [] })).toEqual(['invalid_request', 'input: must have at least 1 entry.']);
    const older = (body: object) => refusal(() => parseRequest(OllamaEmbeddingsRequest, { model: 'toy', ...body }));
    expect([older({ prompt: 'a' }), older({ prompt: '' })]).toEqual([
      undefined,
      ['invalid_request', 'prompt: must not be empty.'],
    ]);
  });

  it('to show a model names it, and changes nothing', () => {
    const show = (body: object) => refusal(() => parseRequest(OllamaShowRequest, body));
    expect(show({ model: 'toy', verbose: true, system: '' })).toBeUndefined();
    expect(show({})).toEqual(['invalid_request', 'The field model is required.']);
    expect(show({ model: 'toy', system: 'Be brief.' })).toEqual([
      'unsupported_parameter',
      'system: not supported; /api/show describes the model as it is served.',
    ]);
  });

  it('reports unknown names', () => {
    const { ignoredFields } = parseRequest(OllamaChatRequest, { model: 'toy', messages: [], made_up: 1 });
    expect(ignoredFields).toEqual(['made_up']);
  });
});
