import { describe, expect, it } from 'vitest';
import { bestCost } from '../../../../test/support/cpu-cost.ts';
import { ApiError } from '../../../errors.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, storedInput } from './conversation.ts';
import { newResponseId } from './item-ids.ts';
import { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { toolsetOf } from './toolset.ts';

const parameters = { type: 'object', properties: { a: { type: 'string' } } };
const named = (name: string) => ({ type: 'function', name, description: `Does ${name}.`, parameters, strict: false });
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar };
const agents = {
  type: 'namespace',
  name: 'agents',
  description: 'Sub-agents.',
  tools: [named('spawn'), named('wait')],
};

const inputParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

function translate(body: object) {
  const parsed = parseRequest(ResponsesRequest, { model: 'toy', input: 'Hi', ...body });
  const { request, ignoredFields, strictError } = parsed;
  const own = storedInput(request, { id: newResponseId() });
  const items = conversationOf(request, { earlier: [], own });
  const tools = toolsetOf(request, items);
  const { request: chat, origins } = toChat(request, { items, tools });
  return { chat, origins, tools, ignoredFields, strictError };
}

function errorOf(body: object): unknown {
  try {
    translate(body);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.message] : error;
  }
}

describe('the tools of a request', () => {
  it('are functions for the model', () => {
    const { chat, origins, tools, ignoredFields } = translate({ tools: [named('run'), agents, patch] });
    expect(chat.tools).toEqual([
      { type: 'function', function: { name: 'run', description: 'Does run.', parameters, strict: false } },
      {
        type: 'function',
        function: {
          name: 'agents__spawn',
          description: 'agents: Sub-agents.\n\nDoes spawn.',
          parameters,
          strict: false,
        },
      },
      { type: 'function', function: { name: 'agents__wait', description: 'Does wait.', parameters, strict: false } },
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: 'Edits files.\n\nThe input must match this lark grammar:\nstart: "a"',
          parameters: inputParameters,
        },
      },
    ]);
    expect(origins.tools).toEqual(['tools[0]', 'tools[1].tools[0]', 'tools[1].tools[1]', 'tools[2]']);
    expect(['run', 'agents__wait', 'apply_patch', 'wait'].map((name) => tools.called(name))).toEqual([
      expect.objectContaining({ type: 'function', name: 'run', namespace: undefined }),
      expect.objectContaining({ type: 'function', name: 'wait', namespace: 'agents' }),
      expect.objectContaining({ type: 'custom', name: 'apply_patch', namespace: undefined }),
      undefined,
    ]);
    expect(ignoredFields).toEqual(['tools[2].format']);
  });

  it('that OpenAI runs are left out and named', () => {
    const types = ['web_search', 'tool_search', 'local_shell', 'image_generation', 'file_search', 'computer', 'mcp'];
    const hosted = [...types, 'code_interpreter', 'shell', 'apply_patch', 'web_search_2027'].map((type) => ({ type }));
    const { chat, ignoredFields, strictError } = translate({ tools: [named('run'), ...hosted] });
    expect(chat.tools?.map((tool) => tool.function.name)).toEqual(['run']);
    expect(ignoredFields).toEqual(hosted.map((_, at) => `tools[${at + 1}]`));
    expect([strictError?.code, strictError?.message]).toEqual([
      'unsupported_parameter',
      'tools[1]: tools of type "web_search" are not supported; send functions or custom tools.',
    ]);
    expect(translate({ tools: hosted }).chat.tools).toBeUndefined();
  });

  it.each([
    ['lark', 'start: "a"'],
    ['regex', '^a+$'],
  ])('with a %s grammar get it as text, unguided and named', (syntax, definition) => {
    const tool = { type: 'custom', name: 'edit', format: { type: 'grammar', syntax, definition } };
    const { chat, ignoredFields, strictError } = translate({ tools: [named('run'), tool] });
    expect(chat.tools?.[1]).toEqual({
      type: 'function',
      function: {
        name: 'edit',
        description: `The input must match this ${syntax} grammar:\n${definition}`,
        parameters: inputParameters,
      },
    });
    expect(ignoredFields).toEqual(['tools[1].format']);
    expect([strictError?.code, strictError?.message]).toEqual([
      'unsupported_parameter',
      'tools[1].format: the model gets the grammar as text; the backend does not guide by it.',
    ]);
  });

  it('that are deferred are sent to the model and named', () => {
    const inner = { ...agents, tools: [{ ...named('spawn'), defer_loading: true }, { type: 'web_search' }] };
    const { chat, ignoredFields } = translate({ tools: [{ ...named('run'), defer_loading: false }, inner] });
    expect(chat.tools?.map((tool) => tool.function.name)).toEqual(['run', 'agents__spawn']);
    expect(ignoredFields).toEqual(['tools[1].tools[0].defer_loading', 'tools[1].tools[1]']);
  });

  it('may come with items, which replace those of the same name', () => {
    const later = { ...named('run'), description: 'Runs.' };
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [later, agents, { type: 'web_search' }] },
      { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [agents] },
      { role: 'user', content: 'Hi' },
    ];
    const { chat, origins, ignoredFields } = translate({ tools: [named('run'), patch], input });
    expect(chat.messages).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(chat.tools?.map((tool) => [tool.function.name, tool.function.description])).toEqual([
      ['apply_patch', expect.any(String)],
      ['run', 'Runs.'],
      ['agents__spawn', 'agents: Sub-agents.\n\nDoes spawn.'],
      ['agents__wait', 'Does wait.'],
    ]);
    const inner = [0, 1].map((at) => `input[1].tools[0].tools[${at}]`);
    expect(origins.tools).toEqual(['tools[1]', 'input[0].tools[0]', ...inner]);
    expect(ignoredFields).toEqual(['tools[1].format', 'input[0].tools[2]']);
  });

  it.each([
    [[named('f'), named('f')], 'tools[1].name: another tool is also named "f"; names must be unique.'],
    [
      [named('agents__wait'), agents],
      'tools[1].tools[1].name: the model gets two tools as "agents__wait": "agents__wait" (tools[0]) and "wait" in ' +
        'the namespace "agents" (tools[1].tools[1]). Rename one of them.',
    ],
    [
      [
        { ...agents, name: 'a', tools: [named('b__c')] },
        { ...agents, name: 'a__b', tools: [named('c')] },
      ],
      'tools[1].tools[0].name: the model gets two tools as "a__b__c": "b__c" in the namespace "a" ' +
        '(tools[0].tools[0]) and "c" in the namespace "a__b" (tools[1].tools[0]). Rename one of them.',
    ],
  ])('have different names for the model: %#', (tools, message) => {
    expect(errorOf({ tools })).toEqual(['invalid_request', message]);
  });

  it('are a thousand, and take about as long as their JSON', () => {
    const tools = Array.from({ length: 8 }, (_, at) => ({
      ...agents,
      name: `server${at}`,
      tools: Array.from({ length: 128 }, (_, index) => named(`tool${index}`)),
    }));
    expect(translate({ tools }).chat.tools?.length).toBe(1024);
    const text = JSON.stringify(tools);
    const reference = bestCost(() => JSON.stringify(JSON.parse(text)));
    expect(bestCost(() => translate({ tools }))).toBeLessThan(20 * reference);
    expect(errorOf({ tools: [...tools, named('f')] })).toEqual([
      'invalid_request',
      'tools: a request can have at most 1024 tools, not 1025.',
    ]);
  });
});

describe('the choice of a tool', () => {
  const tools = [named('run'), agents, patch, { type: 'web_search' }];
  const chosen = (tool_choice: unknown) => translate({ tools, tool_choice }).chat.tool_choice;
  const wait = { type: 'function', name: 'wait', namespace: 'agents' };

  it('is that of its function', () => {
    expect(chosen(wait)).toEqual({ type: 'function', function: { name: 'agents__wait' } });
    expect(chosen({ type: 'function', name: 'agents__wait' })).toEqual({
      type: 'function',
      function: { name: 'agents__wait' },
    });
    expect(chosen({ type: 'custom', name: 'apply_patch' })).toEqual({
      type: 'function',
      function: { name: 'apply_patch' },
    });
    expect(chosen('required')).toBe('required');
  });

  it('leaves out tools that OpenAI runs', () => {
    const allowed = (mode: string, list: object[]) => ({ type: 'allowed_tools', mode, tools: list });
    const choice = allowed('required', [{ type: 'web_search' }, wait, { type: 'custom', name: 'apply_patch' }]);
    expect(chosen(choice)).toEqual({
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'agents__wait' } },
          { type: 'function', function: { name: 'apply_patch' } },
        ],
      },
    });
    expect(translate({ tools, tool_choice: choice }).ignoredFields).toEqual([
      'tools[2].format',
      'tools[3]',
      'tool_choice.tools[0]',
    ]);
    expect(chosen(allowed('auto', [{ type: 'web_search' }]))).toBe('none');
    expect(errorOf({ tools, tool_choice: allowed('required', [{ type: 'mcp', server_label: 'x' }]) })).toEqual([
      'unsupported_parameter',
      'tool_choice.tools: a call cannot be required, because none of these tools is supported.',
    ]);
  });

  it.each([
    [
      { type: 'web_search' },
      'tool_choice.type: tools of type "web_search" are not supported; send functions or custom tools.',
    ],
    [{ type: 'custom', name: 'run' }, 'tool_choice: the request has no custom tool named "run".'],
    [{ ...wait, namespace: 'x' }, 'tool_choice: the request has no tool named "wait" in the namespace "x".'],
  ])('names what is wrong with %j', (tool_choice, message) => {
    expect(errorOf({ tools, tool_choice })).toEqual([expect.any(String), message]);
  });

  it('cannot require a call of tools that OpenAI runs', () => {
    expect(errorOf({ tools: [{ type: 'web_search' }, { type: 'mcp' }], tool_choice: 'required' })).toEqual([
      'unsupported_parameter',
      'tool_choice: a call cannot be required, because the request has only tools that are not supported: ' +
        '"web_search", "mcp".',
    ]);
  });
});

it('calls in the input have the names that the model knows', () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'c1', name: 'wait', namespace: 'agents', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: 'a "b"\n', status: 'completed' },
    { type: 'function_call_output', call_id: 'c1', output: 'done' },
    { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'Success' }] },
  ];
  expect(translate({ input, text: { verbosity: 'low' } }).chat).toMatchObject({
    verbosity: 'low',
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'agents__wait', arguments: '{}' } },
          { id: 'c2', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"a \\"b\\"\\n"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
      { role: 'tool', tool_call_id: 'c2', content: 'Success' },
    ],
  });
});
