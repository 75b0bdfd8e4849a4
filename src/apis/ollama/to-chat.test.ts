import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';
import { parseRequest } from '../../requests/fields.ts';
import { conversationOf } from './conversation.ts';
import { unknownOptions } from './options.ts';
import { renameError, renameIgnored } from './rename-error.ts';
import { OllamaChatRequest, OllamaGenerateRequest } from './requests.ts';
import { chatOf, generationOf } from './to-chat.ts';

const user = { role: 'user' as const, content: 'Hi' };

/** What a request becomes, which must be one that the other API takes. */
const translate = (body: object) => {
  const translated = chatOf(parseRequest(OllamaChatRequest, { model: 'toy', messages: [user], ...body }).request);
  expect(ChatRequest.safeParse(translated.request).error).toBeUndefined();
  return translated;
};
const generation = (body: object) => {
  const translated = generationOf(parseRequest(OllamaGenerateRequest, { model: 'toy', prompt: 'Hi', ...body }).request);
  const schema = translated.kind === 'chat' ? ChatRequest : CompletionRequest;
  expect(schema.safeParse(translated.request).error).toBeUndefined();
  return translated;
};
const messagesOf = (...messages: object[]) => (translate({ messages }).request as ChatRequest).messages;
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const calls = (...names: string[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map((name) => ({ function: { name, arguments: { a: 1 } } })),
});
const pastCall = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"a":1}' } });

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as ApiError).message;
  }
}

describe('the messages of the chat', () => {
  it('are those of the request', () => {
    const system = { role: 'system', content: 'Be brief.' };
    const response = { role: 'assistant', content: 'Yes.', thinking: 'Hm.' };
    expect(messagesOf(system, user, response, user)).toEqual([
      system,
      user,
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
      user,
    ]);
  });

  it('have images before their text', () => {
    expect(messagesOf({ ...user, images: ['AAAA', 'AAAA'] }, { role: 'user', images: ['AAAA'] })).toEqual([
      { role: 'user', content: [picture, picture, { type: 'text', text: 'Hi' }] },
      { role: 'user', content: [picture] },
    ]);
    expect(errorOf(() => messagesOf({ role: 'system', content: 'x', images: ['AAAA'] }))).toBe(
      'messages[0].images: images are only supported in user and tool messages.',
    );
  });

  it('match results to calls by the name of the tool, or else in order', () => {
    const named = (name: string) => ({ role: 'tool', content: name, tool_name: name });
    expect(
      messagesOf(user, calls('f', 'g'), named('g'), named('f'), calls('f'), { role: 'tool', content: 'x' }),
    ).toEqual([
      user,
      { role: 'assistant', content: null, tool_calls: [pastCall('call00000', 'f'), pastCall('call00001', 'g')] },
      { role: 'tool', tool_call_id: 'call00001', content: 'g', name: 'g' },
      { role: 'tool', tool_call_id: 'call00000', content: 'f', name: 'f' },
      { role: 'assistant', content: null, tool_calls: [pastCall('call00002', 'f')] },
      { role: 'tool', tool_call_id: 'call00002', content: 'x' },
    ]);
  });

  it('match results to calls by their ids where they have some', () => {
    const tool_calls = ['c1', 'c2'].map((id) => ({ id, function: { name: 'f', arguments: { a: 1 } } }));
    const requested = { role: 'assistant', content: 'I look.', tool_calls };
    expect(
      messagesOf(user, requested, { role: 'tool', content: '2', tool_call_id: 'c2' }, { role: 'tool', content: '1' }),
    ).toEqual([
      user,
      { role: 'assistant', content: 'I look.', tool_calls: [pastCall('c1', 'f'), pastCall('c2', 'f')] },
      { role: 'tool', tool_call_id: 'c2', content: '2' },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
    ]);
  });

  it('accept results without calls, as some clients send no calls', () => {
    expect(
      conversationOf([
        user,
        { role: 'assistant', content: '' },
        { role: 'tool', content: 'x' },
        { role: 'tool', content: 'y', tool_name: 'g' },
      ]).messages,
    ).toEqual([
      user,
      { role: 'assistant', content: '' },
      { role: 'tool', content: 'x' },
      { role: 'tool', content: 'y', name: 'g' },
    ]);
  });

  it('go on with a last message of the assistant that has text', () => {
    const isContinued = (last: object) => {
      const { request } = translate({ messages: [user, last] });
      return (request as ChatRequest).continue_final_message;
    };
    expect([
      isContinued({ role: 'assistant', content: 'It begins' }),
      isContinued({ role: 'assistant', content: '' }),
      isContinued(user),
    ]).toEqual([true, undefined, undefined]);
  });
});

describe('the fields of the chat', () => {
  it('say what the options say', () => {
    const options = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.1,
      seed: 7,
      stop: ['END'],
      presence_penalty: 1,
      frequency_penalty: -1,
      repeat_penalty: 1.1,
      num_predict: 12,
    };
    expect(translate({ options }).request).toEqual({
      model: 'toy',
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.1,
      seed: 7,
      stop: ['END'],
      presence_penalty: 1,
      frequency_penalty: -1,
      repetition_penalty: 1.1,
      max_tokens: 12,
      messages: [user],
    });
  });

  it.each([[{ num_predict: -1, seed: -1, temperature: null }], [{ num_predict: -2 }], [{ num_predict: 0 }], [null]])(
    'leave out what the options %j leave to the model',
    (options) => {
      expect(translate({ options, stream: false }).request).toEqual({ model: 'toy', stream: false, messages: [user] });
    },
  );

  it('have the response format, the tools and the thinking', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const schema = { type: 'object', properties: {} };
    expect(translate({ tools, format: schema, think: 'low', logprobs: true, top_logprobs: 2 }).request).toEqual({
      model: 'toy',
      stream: true,
      messages: [user],
      tools,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'low' },
      logprobs: true,
      top_logprobs: 2,
    });
    expect(translate({ tools: [], format: 'json', think: false }).request).toEqual({
      model: 'toy',
      stream: true,
      messages: [user],
      response_format: { type: 'json_object' },
      chat_template_kwargs: { enable_thinking: false, thinking: false },
    });
  });

  it('leave out ignored fields', () => {
    const { ignored } = translate({
      messages: [{ ...user, made_up: 1 }],
      options: { num_ctx: 100, mirostat: 1, made_up: 2, temperature: 0, numa: null },
      keep_alive: 0,
      truncate: true,
      shift: true,
      top_logprobs: 1,
    });
    const options = ['options.num_ctx', 'options.mirostat', 'options.made_up'];
    expect(ignored).toEqual(['messages[0].made_up', ...options, 'keep_alive', 'truncate', 'shift', 'top_logprobs']);
    expect(translate({ truncate: false, shift: false, keep_alive: null }).ignored).toEqual([]);
  });
});

it('distinguishes unknown options from ignored ones', () => {
  expect(unknownOptions({ num_ctx: 1, made_up: 2, temperature: 1 })).toEqual(['options.made_up']);
  expect(unknownOptions(null)).toEqual([]);
});

describe('a prompt', () => {
  it('is a chat of one message', () => {
    expect(generation({ system: 'Be brief.', images: ['AAAA'] })).toMatchObject({
      kind: 'chat',
      request: {
        model: 'toy',
        stream: true,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [picture, { type: 'text', text: 'Hi' }] },
        ],
      },
      ignored: [],
    });
  });

  it('that is raw is a completion', () => {
    const { kind, request, ignored } = generation({
      raw: true,
      options: { num_predict: 3 },
      logprobs: true,
      think: true,
    });
    expect({ kind, request, ignored }).toEqual({
      kind: 'completion',
      request: { model: 'toy', stream: true, prompt: 'Hi', max_tokens: 3, logprobs: 0 },
      ignored: ['think'],
    });
  });

  it.each(['system', 'images'])('that is raw has no %s', (field) => {
    const value = field === 'images' ? ['AAAA'] : 'x';
    expect(errorOf(() => generation({ raw: true, [field]: value }))).toBe(
      `${field}: not supported with raw, which sends the prompt unchanged. Leave one of them out.`,
    );
  });
});

describe('an error', () => {
  const { origin } = translate({ messages: [{ ...user, images: ['AAAA'] }] });
  const { origin: ofPrompt } = generation({ system: 'Be brief.', images: ['AAAA'] });
  const renamed = (param: string, from = origin) =>
    renameError(new ApiError('invalid_request', `${param}: is wrong.`, { param }), from).message;

  it.each([
    ['messages[0].content[0].image_url', 'messages[0].images[0]'],
    ['messages[0].content[1].text', 'messages[0].content'],
    ['messages[0].tool_call_id', 'messages[0].tool_call_id'],
    ['messages[0]', 'messages[0]'],
    ['messages', 'messages'],
    ['continue_final_message', 'messages'],
    ['stop', 'options.stop'],
    ['repetition_penalty', 'options.repeat_penalty'],
    ['max_tokens', 'options.num_predict'],
    ['response_format', 'format'],
    ['response_format.json_schema.schema.properties.a', 'format.properties.a'],
    ['chat_template_kwargs.thinking', 'think'],
    ['tools[0].function.parameters', 'tools[0].function.parameters'],
    ['model', 'model'],
  ])('of %s is one of %s', (param, name) => expect(renamed(param)).toBe(`${name}: is wrong.`));

  it.each([
    ['messages[0].content', 'system'],
    ['messages[1].content[0].image_url', 'images[0]'],
    ['messages[1].content[1]', 'prompt'],
    ['messages', 'prompt'],
  ])('of %s in the chat of a prompt is one of %s', (param, name) =>
    expect(renamed(param, ofPrompt)).toBe(`${name}: is wrong.`),
  );

  it('that names no field stays as it is', () => {
    const error = new ApiError('backend_error', 'The backend failed.');
    expect(renameError(error, origin)).toBe(error);
  });
});

it('what had no effect in the chat has its name here', () => {
  const { origin } = translate({});
  const thinking = ['chat_template_kwargs.enable_thinking', 'chat_template_kwargs.thinking'];
  expect(renameIgnored([...thinking, 'chat_template_kwargs.reasoning_effort', 'stop'], origin)).toEqual([
    'think',
    'options.stop',
  ]);
  expect(renameIgnored(thinking.slice(1), origin)).toEqual([]);
});
