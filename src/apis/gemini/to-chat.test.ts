import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../requests/fields.ts';
import { packThought } from '../../requests/packed-reasoning.ts';
import { oneSpelling } from './proto-json.ts';
import { GenerateContentRequest } from './requests.ts';
import { toChat } from './to-chat.ts';

const parsed = (body: object) => parseRequest(GenerateContentRequest, oneSpelling({ model: 'toy', ...body }));
const translate = (body: object) => toChat(parsed(body).request, false);
const user = (...parts: object[]) => ({ role: 'user', parts });
const byModel = (...parts: object[]) => ({ role: 'model', parts });
const contents = [user({ text: 'Hi' })];

/** The messages of a chat, from contents. */
const messagesOf = (...all: object[]) => translate({ contents: all }).chat.messages;

describe('toChat', () => {
  it('translates a whole request', () => {
    const { chat, ignored, origin, includesThoughts } = translate({
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        user({ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
        byModel({ text: 'Hm.', thought: true }, { text: 'A ' }, { text: 'shell.' }),
        user({ text: 'Where?' }),
      ],
      tools: [
        { googleSearch: {} },
        {
          functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } }],
        },
        { functionDeclarations: [{ name: 'g', description: 'G.', parametersJsonSchema: { type: 'object' } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        candidateCount: 2,
        seed: 7,
        presencePenalty: 1,
        frequencyPenalty: -1,
        responseLogprobs: true,
        logprobs: 3,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1024, thinkingLevel: 'low' },
      },
    });
    expect(chat).toEqual({
      model: 'toy',
      stream: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: 'A shell.', reasoning_content: 'Hm.' },
        { role: 'user', content: 'Where?' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      max_tokens: 100,
      stop: ['END'],
      n: 2,
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: -1,
      logprobs: true,
      top_logprobs: 3,
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        { type: 'function', function: { name: 'g', description: 'G.', parameters: { type: 'object' } } },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'function', function: { name: 'g' } },
          ],
        },
      },
      chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'low' },
    });
    expect([ignored, includesThoughts]).toEqual([[], true]);
    expect(origin.tools.map(({ path, parameters }) => `${path}.${parameters}`)).toEqual([
      'tools[1].functionDeclarations[0].parameters',
      'tools[2].functionDeclarations[0].parametersJsonSchema',
    ]);
  });

  it.each([
    [{ mode: 'AUTO' }, undefined],
    [{ mode: 'VALIDATED' }, undefined],
    [{ mode: 'NONE' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { mode: 'AUTO', allowedFunctionNames: ['f'] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    ],
  ])('translates the function calling of %j', (functionCallingConfig, expected) => {
    expect(translate({ contents, toolConfig: { functionCallingConfig } }).chat.tool_choice).toEqual(expected);
  });

  it.each([
    ['AUTO', { name: 'f' }],
    ['VALIDATED', { name: 'f', strict: true }],
  ])('translates functions with the mode %s', (mode, expected) => {
    const tools = [{ functionDeclarations: [{ name: 'f' }] }];
    const { chat } = translate({ contents, tools, toolConfig: { functionCallingConfig: { mode } } });
    expect(chat.tools).toEqual([{ type: 'function', function: expected }]);
  });

  it.each([
    [{ thinkingBudget: 0 }, { enable_thinking: false, thinking: false }],
    [{ thinkingBudget: -1 }, undefined],
    [{ thinkingLevel: 'HIGH' }, { reasoning_effort: 'high' }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED', includeThoughts: false }, undefined],
  ])('translates the thinking of %j', (thinkingConfig, expected) => {
    const { chat, ignored } = translate({ contents, generationConfig: { thinkingConfig } });
    expect([chat.chat_template_kwargs, ignored]).toEqual([expected, []]);
  });

  it.each([
    [{ responseMimeType: 'text/plain' }, {}],
    [{ responseMimeType: 'application/json' }, { response_format: { type: 'json_object' } }],
    [
      { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } },
      { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } } },
    ],
    [
      { responseJsonSchema: { type: 'object' } },
      { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } } },
    ],
    [
      { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a', 'b'] } },
      { structured_outputs: { choice: ['a', 'b'] } },
    ],
  ])('translates the format of %j', (generationConfig, expected) => {
    const { model: _, messages: _m, stream: _s, ...others } = translate({ contents, generationConfig }).chat;
    expect(others).toEqual(expected);
  });

  it.each([
    [
      { responseSchema: {}, responseJsonSchema: {} },
      'generationConfig.responseJsonSchema: cannot be combined with responseSchema; send one of them.',
    ],
    [
      { responseSchema: {}, responseMimeType: 'text/plain' },
      'generationConfig.responseMimeType: must be application/json or text/x.enum with responseSchema.',
    ],
    [
      { responseMimeType: 'text/x.enum' },
      'generationConfig.responseMimeType: text/x.enum needs a responseSchema with an enum of strings.',
    ],
  ])('rejects the format of %j', (generationConfig, message) => {
    expect(() => translate({ contents, generationConfig })).toThrow(message);
  });
});

describe('the contents', () => {
  const call = (name: string, more: object = {}) => ({ functionCall: { name, args: { a: 1 } }, ...more });
  const result = (name: string, response: object, id?: string) => ({
    functionResponse: { name, response, ...(id ? { id } : {}) },
  });
  const callParam = (id: string, name: string) => ({
    id,
    type: 'function',
    function: { name, arguments: '{"a":1}' },
  });

  it('match results with calls by name and order where they have no ids', () => {
    expect(
      messagesOf(
        ...contents,
        byModel(call('f'), call('g'), call('f')),
        user(result('f', { output: 'one' }), { text: 'And?' }, result('g', { n: 2 }), result('f', { output: 'three' })),
      ),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [callParam('call_0', 'f'), callParam('call_1', 'g'), callParam('call_2', 'f')],
      },
      { role: 'tool', tool_call_id: 'call_0', content: 'one' },
      { role: 'tool', tool_call_id: 'call_1', content: '{"n":2}' },
      { role: 'tool', tool_call_id: 'call_2', content: 'three' },
      { role: 'user', content: 'And?' },
    ]);
  });

  it('match results with calls by id, and send the images of a result', () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    const functionResponse = { id: 'y', name: 'f', response: { error: 'No.' }, parts: [{ inlineData }] };
    const calls = ['x', 'y'].map((id) => ({ functionCall: { id, name: 'f', args: { a: 1 } } }));
    expect(messagesOf(...contents, byModel(...calls), user({ functionResponse })).slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [callParam('x', 'f'), callParam('y', 'f')] },
      {
        role: 'tool',
        tool_call_id: 'y',
        content: [
          { type: 'text', text: '{"error":"No."}' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('take reasoning from a signature before the thoughts, and ignore foreign signatures', () => {
    const signed = call('f', { thoughtSignature: packThought('Whole thought.') });
    const foreign = call('g', { thoughtSignature: 'c2lnbmVk' });
    const messages = messagesOf(
      ...contents,
      byModel({ text: 'Whole ', thought: true }, signed, foreign),
      user(result('f', {}), result('g', {})),
    );
    expect(messages[1]).toMatchObject({ reasoning_content: 'Whole thought.' });
    expect(messagesOf(...contents, byModel(foreign), user(result('g', {})))[1]).not.toHaveProperty('reasoning_content');
  });

  it('leave out a result that came before, and report it', () => {
    const { chat, ignored } = translate({
      contents: [
        ...contents,
        byModel({ functionCall: { id: 'a', name: 'f', args: {} } }, { functionCall: { id: 'b', name: 'f', args: {} } }),
        user(result('f', { n: 1 }, 'a'), result('f', { n: 1 }, 'a'), result('f', { n: 2 }, 'b')),
      ],
    });
    expect([chat.messages.slice(2), ignored]).toEqual([
      [
        { role: 'tool', tool_call_id: 'a', content: '{"n":1}' },
        { role: 'tool', tool_call_id: 'b', content: '{"n":2}' },
      ],
      ['contents[2].parts[1].functionResponse'],
    ]);
  });

  it('give equal results to calls of the same id', () => {
    const turns = [byModel({ functionCall: { id: 'a', name: 'f', args: {} } }), user(result('f', { n: 1 }, 'a'))];
    const toolMessage = { role: 'tool', tool_call_id: 'a', content: '{"n":1}' };
    const messages = messagesOf(...contents, ...turns, ...turns);
    expect([messages[2], messages[4]]).toEqual([toolMessage, toolMessage]);
  });

  it('join contents of one role, and continue a last text of the model', () => {
    const { chat } = translate({
      contents: [
        { parts: [{ text: 'a' }] },
        user({ text: 'b' }),
        byModel({ text: 'It ' }),
        byModel({ text: 'begins' }),
      ],
    });
    expect([chat.continue_final_message, chat.messages]).toEqual([
      true,
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'It begins' },
      ],
    ]);
    expect(messagesOf(...contents, byModel())).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it.each([
    [
      [user(result('f', {}))],
      'contents[0].parts[0].functionResponse: no earlier functionCall without a result has the name "f".',
    ],
    [
      [...contents, byModel(call('f'))],
      'contents[1].parts[0].functionCall: the contents end with this call; send its result in a functionResponse part.',
    ],
    [[user(call('f'))], 'contents[0].parts[0]: functionCall is only supported in contents with the role model.'],
    [
      [byModel({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }), ...contents],
      'contents[0].parts[0]: only text and functionCall are supported in contents with the role model.',
    ],
    [
      [user({})],
      'contents[0].parts[0]: is empty; send one of text, inlineData, fileData, functionCall, functionResponse.',
    ],
    [
      [user({ executableCode: {} })],
      'contents[0].parts[0]: parts with "executableCode" are not supported; send one of text, inlineData, fileData, functionCall, functionResponse.',
    ],
    [
      [user({ text: 'a', functionCall: { name: 'f' } })],
      'contents[0].parts[0]: has text and functionCall; send one of text, inlineData, fileData, functionCall, functionResponse.',
    ],
    [
      [user({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } })],
      'contents[0].parts[0].inlineData.mimeType: must be image/jpeg, image/png, image/gif or image/webp; other media are not supported.',
    ],
    [[{ a: 'text' }], 'contents[0].parts: is required.'],
    [[{ role: 'system', parts: [] }], 'contents[0].role: must be user or model.'],
    [[], 'contents: must have at least 1 entry.'],
  ])('are rejected by the path of the part: %j', (all, message) => {
    expect(() => translate({ contents: all })).toThrow(message);
  });
});
