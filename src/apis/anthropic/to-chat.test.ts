import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { parseRequest } from '../../requests/fields.ts';
import { packReasoning } from '../../requests/packed-reasoning.ts';
import { CountTokensRequest, MessagesRequest } from './messages-request.ts';
import { renameError } from './rename-error.ts';
import { toChat } from './to-chat.ts';

const user = { role: 'user', content: 'Hi' };

const translate = (body: object) =>
  toChat(parseRequest(MessagesRequest, { model: 'toy', max_tokens: 10, messages: [user], ...body }).request);
const chatOf = (body: object) => translate(body).chat;
const messagesOf = (...messages: object[]) => chatOf({ messages }).messages;
const text = (value: string) => ({ type: 'text', text: value });

const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const linked = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const picturePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const linkedPart = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { a: 1 } });
const result = (id: string, more: object) => ({ type: 'tool_result', tool_use_id: id, ...more });
const pastCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } });

describe('the messages of the chat', () => {
  it('has the system prompt first', () => {
    expect(chatOf({ system: 'Be brief.' }).messages).toEqual([{ role: 'system', content: 'Be brief.' }, user]);
    expect(chatOf({ system: [text('Be'), text('brief.')] }).messages).toEqual([
      { role: 'system', content: [text('Be'), text('brief.')] },
      user,
    ]);
    expect(chatOf({ system: '' }).messages).toEqual([user]);
  });

  it('has text and images in their order', () => {
    expect(messagesOf({ role: 'user', content: [text('What?'), picture, linked] })).toEqual([
      { role: 'user', content: [text('What?'), picturePart, linkedPart] },
    ]);
  });

  it('has the calls and the thinking of the assistant in one message', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const content = [thinking, { type: 'redacted_thinking', data: 'x' }, text('I look.'), use('t1'), use('t2')];
    const { chat, ignored } = translate({
      messages: [user, { role: 'assistant', content }, { role: 'user', content: [result('t1', {}), result('t2', {})] }],
    });
    expect(chat.messages).toEqual([
      user,
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [pastCall('t1'), pastCall('t2')],
      },
      { role: 'tool', tool_call_id: 't1', content: '' },
      { role: 'tool', tool_call_id: 't2', content: '' },
    ]);
    expect(ignored).toEqual(['messages[1].content[1]']);
  });

  it('has thinking that was omitted, from its signature, and names what only another server has', () => {
    const packed = { type: 'thinking', thinking: '', signature: packReasoning('Hm.') };
    const foreign = { type: 'thinking', thinking: '', signature: 'EqoBCkgIARABGAIiQL' };
    const content = [packed, foreign, use('t1')];
    const { chat, ignored } = translate({
      messages: [user, { role: 'assistant', content }, { role: 'user', content: [result('t1', {})] }],
    });
    expect(chat.messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [pastCall('t1')],
    });
    expect(ignored).toEqual(['messages[1].content[1]']);
  });

  it('has no billing line of Claude Code', () => {
    const line = 'x-anthropic-billing-header: cc_version=2.1.197.1c0; cc_entrypoint=sdk-cli;';
    const lists = translate({ system: [text(line), text('You are an agent.'), text('Be brief.')] });
    expect([lists.chat.messages[0], lists.ignored]).toEqual([
      { role: 'system', content: [text('You are an agent.'), text('Be brief.')] },
      ['system[0]'],
    ]);
    expect(
      renameError(new ApiError('invalid_request', 'x', { param: 'messages[0].content[1]' }), lists.origin),
    ).toEqual(expect.objectContaining({ param: 'system[2]' }));
    const one = translate({ system: `${line}\nBe brief.` });
    expect([one.chat.messages[0], one.ignored]).toEqual([{ role: 'system', content: 'Be brief.' }, ['system']]);
    expect(chatOf({ system: line }).messages).toEqual([user]);
    const inside = `Never send ${line}`;
    expect(chatOf({ system: inside }).messages[0]).toEqual({ role: 'system', content: inside });
  });

  it('has the definitions of tools that results refer to', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'f', description: 'd', input_schema: {}, defer_loading: true },
    ];
    const reference = (tool_name: string) => ({ type: 'tool_reference', tool_name });
    const send = (content: object[]) =>
      translate({
        tools,
        messages: [
          user,
          { role: 'assistant', content: [use('t1')] },
          { role: 'user', content: [result('t1', { content })] },
        ],
      });
    const definition = text('{"type":"function","function":{"name":"f","description":"d","parameters":{}}}');
    expect(send([reference('f')]).chat.messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 't1',
      content: definition.text,
    });
    expect(send([text('Found:'), reference('f')]).chat.messages[2]?.content).toEqual([text('Found:'), definition]);
    const repeated = text('The tool f is defined above.');
    expect(send([reference('f'), reference('f')]).chat.messages[2]?.content).toEqual([definition, repeated]);
    expect(() => send([reference('f'), reference('g')])).toThrow(
      'messages[2].content[0].content[1].tool_name: tools has no tool "g"; send its definition.',
    );
  });

  describe('with deferred tools', () => {
    const found = { name: 'f', input_schema: {}, defer_loading: true };
    const search = { name: 'search', input_schema: {} };
    const hostedSearch = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    const offered = (name: string) => ({ type: 'function', function: { name, parameters: {} } });

    it('leaves them to the search of the client', () => {
      const { chat, ignored } = translate({ tools: [search, found] });
      expect([chat.tools, chat.deferredTools, ignored]).toEqual([['search', 'f'].map(offered), new Set(['f']), []]);
    });

    it.each([
      ["Anthropic's search", [hostedSearch, search, found], ['search', 'f'], ['tools[2].defer_loading']],
      ['no search', [found], ['f'], ['tools[0].defer_loading']],
    ])('offers them if there is %s', (_, tools, names, ignoredNames) => {
      const { chat, ignored } = translate({ tools });
      expect([chat.tools, chat.deferredTools, ignored]).toEqual([names.map(offered), undefined, ignoredNames]);
    });
  });

  it('has results of calls before what else the user says', () => {
    const content = [
      text('There:'),
      result('t1', { content: '42' }),
      result('t2', { content: [text('a'), picture] }),
      result('t3', { content: 'no such file', is_error: true }),
      result('t4', { content: 'Error: gone', is_error: true }),
      result('t5', { is_error: true }),
    ];
    const calls = ['t1', 't2', 't3', 't4', 't5'];
    expect(messagesOf(user, { role: 'assistant', content: calls.map(use) }, { role: 'user', content })).toEqual([
      user,
      { role: 'assistant', content: null, tool_calls: calls.map(pastCall) },
      { role: 'tool', tool_call_id: 't1', content: '42' },
      { role: 'tool', tool_call_id: 't2', content: [text('a'), picturePart] },
      { role: 'tool', tool_call_id: 't3', content: 'Error: no such file' },
      { role: 'tool', tool_call_id: 't4', content: 'Error: gone' },
      { role: 'tool', tool_call_id: 't5', content: 'Error' },
      { role: 'user', content: 'There:' },
    ]);
  });

  it('has messages of one role that follow each other as one', () => {
    expect(messagesOf(user, { role: 'user', content: [text('you')] }, { role: 'system', content: 'Now!' })).toEqual([
      { role: 'user', content: [text('Hi'), text('you')] },
      { role: 'system', content: 'Now!' },
    ]);
  });
});

describe('a last message of the assistant', () => {
  const errorOf = (content: unknown): string => {
    try {
      messagesOf(user, { role: 'assistant', content });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is continued', () => {
    const chat = chatOf({ messages: [user, { role: 'assistant', content: 'It is (' }] });
    expect(chat).toEqual({
      model: 'toy',
      max_tokens: 10,
      messages: [user, { role: 'assistant', content: 'It is (' }],
      continue_final_message: true,
    });
  });

  it('is left out when it is empty', () => {
    const chat = chatOf({ messages: [user, { role: 'assistant', content: '' }] });
    expect(chat).toEqual({ model: 'toy', max_tokens: 10, messages: [user] });
  });

  it('cannot end with whitespace or a call', () => {
    expect(errorOf('It is ')).toBe('messages[1].content: final assistant content cannot end with trailing whitespace.');
    expect(errorOf([text('a'), use('t1')])).toBe(
      'messages[1].content[1]: the conversation ends with this tool_use block; send its result in a tool_result block.',
    );
  });
});

describe('the fields of the chat', () => {
  const schema = { type: 'object', properties: {} };
  const tools = [
    { name: 'f', description: 'd', input_schema: schema, strict: true, input_examples: [{}] },
    { name: 'g', input_schema: schema },
  ];
  const format = { type: 'json_schema', schema };
  const formatted = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };

  it.each([
    [
      { stream: true, temperature: 0, top_p: 0.5, top_k: 3 },
      { stream: true, temperature: 0, top_p: 0.5, top_k: 3 },
    ],
    [
      { stop_sequences: ['a', 'b'], metadata: { user_id: 'u' } },
      { stop: ['a', 'b'], user: 'u' },
    ],
    [{ tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ tool_choice: { type: 'any', disable_parallel_tool_use: false } }, { tool_choice: 'required' }],
    [{ tool_choice: { type: 'tool', name: 'f' } }, { tool_choice: { type: 'function', function: { name: 'f' } } }],
    [{ thinking: { type: 'disabled' } }, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
    [{ thinking: { type: 'adaptive' } }, {}],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, {}],
    [{ output_config: { effort: 'xhigh' } }, { chat_template_kwargs: { reasoning_effort: 'high' } }],
    [{ output_config: { format } }, { response_format: formatted }],
    [{ output_format: format }, { response_format: formatted }],
    [{ service_tier: 'auto', cache_control: { type: 'ephemeral' }, tools: [] }, {}],
  ])('of %j are %j', (body, fields) => {
    const chat = chatOf(body);
    expect(chat).toEqual({ model: 'toy', max_tokens: 10, messages: [user], ...fields });
    expect(parseRequest(ChatRequest, chat).request).toEqual(chat);
  });

  it('describe the tools, and what no chat can carry is named', () => {
    const { chat, ignored } = translate({ tools, thinking: { type: 'enabled', budget_tokens: 2000 } });
    expect(chat).toEqual({
      model: 'toy',
      max_tokens: 10,
      messages: [user],
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
        { type: 'function', function: { name: 'g', parameters: schema } },
      ],
      chat_template_kwargs: { enable_thinking: true, thinking: true },
    });
    expect(ignored).toEqual(['thinking.budget_tokens', 'tools[0].input_examples']);
  });

  describe('with tools that Anthropic runs', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const f = { type: 'function', function: { name: 'f', parameters: schema } };
    const own = { name: 'f', input_schema: schema };

    it.each([
      [{ tools: [search, own] }, { tools: [f] }],
      [
        { tools: [search, own], tool_choice: { type: 'any' } },
        { tools: [f], tool_choice: 'required' },
      ],
      [{ tools: [search] }, {}],
      [{ tools: [search], tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, {}],
    ])('leave them out: %j', (body, fields) => {
      expect(chatOf(body)).toEqual({ model: 'toy', max_tokens: 10, messages: [user], ...fields });
    });

    it.each([
      [{ tools: [own, search], tool_choice: { type: 'tool', name: 'web_search' } }, 'tools[1]'],
      [{ tools: [search], tool_choice: { type: 'any' } }, 'tools[0]'],
    ])('refuse a choice that needs one: %j', (body, param) => {
      expect(() => chatOf(body)).toThrow(
        expect.objectContaining({
          code: 'unsupported_parameter',
          param,
          message:
            `${param}: tool_choice needs this tool, and tools of type "web_search_20250305" are not supported. ` +
            'Send a tool of type custom.',
        }),
      );
    });

    it('name the fields of the others as the request has them', () => {
      const { origin } = translate({ tools: [search, own] });
      const error = new ApiError('invalid_request', 'x', { param: 'tools[0].function.parameters.type' });
      expect(renameError(error, origin).param).toBe('tools[1].input_schema.type');
    });
  });

  it('says whether thinking is omitted', () => {
    const omits = (thinking: object | null) => translate({ thinking }).omitsThinking;
    expect(omits({ type: 'adaptive', display: 'omitted' })).toBe(true);
    expect(omits({ type: 'enabled', budget_tokens: 1024, display: 'omitted' })).toBe(true);
    expect(
      [{ type: 'adaptive' }, { type: 'adaptive', display: 'summarized' }, { type: 'disabled' }, null].map(omits),
    ).toEqual([false, false, false, false]);
  });

  it('are only those of the prompt if tokens are counted', () => {
    const { request } = parseRequest(CountTokensRequest, { model: 'toy', messages: [user] });
    expect(toChat(request).chat).toEqual({ model: 'toy', messages: [user] });
  });

  it('accept one output format', () => {
    const both = { output_config: { format }, output_format: format };
    expect(() => chatOf(both)).toThrow(
      'output_format: cannot be combined with output_config.format. Send only one of them.',
    );
  });
});
