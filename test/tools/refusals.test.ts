import { beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { directive } from '../support/exchange.ts';
import { gatewayFlags, llamaTokenizer, post, sharedGateway, startGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { ask, called, choiceWith, tools, weatherRounds } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway(...llamaTokenizer());
});

const tool = (definition: object) => [{ type: 'function', function: definition }];
const named = (name: string) => ({ type: 'function', function: { name } });
const allowed = (name: string) => ({ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named(name)] } });
const missing = 'is required.';
const nameRule = 'must be 1 to 64 letters, digits, dashes, dots or underscores.';

type Row = [what: string, body: object, param: string, message: string, code?: string];
const rows: Row[] = [
  ['a tool without a name', { tools: tool({}) }, 'tools[0].function.name', missing],
  ['a tool with an empty name', { tools: tool({ name: '' }) }, 'tools[0].function.name', nameRule],
  ['a name with a space', { tools: tool({ name: 'a b' }) }, 'tools[0].function.name', nameRule],
  [
    'two tools of one name',
    { tools: [...tools, ...tool({ name: 'ping' })] },
    'tools[2].function.name',
    'another tool is also named "ping"; names must be unique.',
  ],
  [
    'parameters that are no schema',
    { tools: tool({ name: 'a', parameters: ['x'] }) },
    'tools[0].function.parameters',
    'must be a JSON schema object.',
  ],
  [
    'parameters that are no object',
    { tools: tool({ name: 'a', parameters: { type: 'string' } }) },
    'tools[0].function.parameters.type',
    'must be object: the arguments of a function are an object.',
  ],
  [
    'an allowed tool that is named twice',
    {
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('ping'), named('ping')] } },
    },
    'tool_choice.allowed_tools.tools[1].function.name',
    'another tool is also named "ping"; names must be unique.',
  ],
  [
    'a choice of no tool',
    { tools, tool_choice: named('launch') },
    'tool_choice',
    'the request has no tool named "launch".',
  ],
  [
    'an allowed tool that is none',
    { tools, tool_choice: allowed('launch') },
    'tool_choice.allowed_tools.tools[0]',
    'the request has no tool named "launch".',
  ],
  [
    'a choice without tools',
    { tool_choice: 'required' },
    'tool_choice',
    'the request has no tools; send tools or leave tool_choice out.',
  ],
  [
    'a word that is no choice',
    { tools, tool_choice: 'sometimes' },
    'tool_choice',
    'must be none, auto, required, a named function or allowed_tools.',
  ],
  [
    'a custom tool',
    { tools: [{ type: 'custom', custom: { name: 'x' } }] },
    'tools[0].type',
    'only tools of type function are supported.',
    'unsupported_parameter',
  ],
  [
    'the choice of a custom tool',
    { tools, tool_choice: { type: 'custom', custom: { name: 'x' } } },
    'tool_choice',
    'custom tools are not supported; name a function.',
    'unsupported_parameter',
  ],
  [
    'functions of long ago',
    { functions: [{ name: 'x' }] },
    'functions',
    'deprecated; send tools instead.',
    'unsupported_parameter',
  ],
  [
    'a grammar beside tools',
    { tools, guided_grammar: 'root ::= "a"' },
    'guided_grammar',
    'cannot be combined with tools for this model. Remove one of them.',
    'unsupported_parameter',
  ],
  [
    'a result of a call that nobody made',
    { messages: [...user('x'), { role: 'tool', tool_call_id: 'call_9', content: 'y' }] },
    'messages[1].tool_call_id',
    'no earlier tool call has the id "call_9".',
  ],
  [
    'a result without the id of its call',
    { messages: [...user('x'), { role: 'tool', content: 'y' }] },
    'messages[1].tool_call_id',
    missing,
  ],
  [
    'a required call for a template without tools',
    { model: 'vllm-llama', tools, tool_choice: 'required' },
    'tools',
    "not supported by this model's chat template. Start Conch with --tool-prompt vllm-llama=default.",
    'unsupported_parameter',
  ],
];

describe('a request is refused by the field that is wrong', () => {
  it.each(rows)('%s', async (_, body, param, message, code = 'invalid_request') => {
    const sent = { model: 'vllm-toy', messages: user('x'), ...body };
    for (const stream of [false, true]) {
      const response = await post(`${conch.url}/v1/chat/completions`, { ...sent, stream });
      expect({ status: response.status, body: response.body }).toEqual({
        status: 400,
        body: { error: { message: `${param}: ${message}`, type: 'invalid_request_error', param, code } },
      });
    }
  });
});

describe('a tool with an invalid schema', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '(?i)x' } } };
  const find = { name: 'find', parameters };
  const contents = directive({ answer: 'Hi.' });
  const rule = 'is not a valid regular expression.';

  it.each<[string, object, string]>([
    [
      '/v1/chat/completions',
      { messages: user(contents), tools: tool(find) },
      'tools[0].function.parameters.properties.a.pattern',
    ],
    [
      '/v1/responses',
      { input: contents, tools: [{ type: 'function', ...find }] },
      'tools[0].parameters.properties.a.pattern',
    ],
    [
      '/v1/messages',
      { messages: user(contents), max_tokens: 9, tools: [{ name: 'find', input_schema: parameters }] },
      'tools[0].input_schema.properties.a.pattern',
    ],
  ])('is offered and named, unless a call is required: %s', async (path, body, field) => {
    const sent = { model: 'vllm-toy', ...body };
    const offered = await post(`${conch.url}${path}`, sent);
    expect([offered.status, decodeURIComponent(offered.headers.get('x-conch-ignored') ?? '')]).toEqual([200, field]);
    const tool_choice = path === '/v1/messages' ? { type: 'any' } : 'required';
    const required = await post(`${conch.url}${path}`, { ...sent, tool_choice });
    expect([required.status, required.body.error?.['message']]).toEqual([400, `${field}: ${rule}`]);
  });
});

describe('tools for a template without them', () => {
  const body = (more: object = {}) => ({
    model: 'vllm-llama',
    messages: user(directive({ answer: 'Hi.' })),
    tools,
    ...more,
  });

  it.each(['/v1/chat/completions', '/api/chat'])('are dropped and named: %s', async (path) => {
    const response = await post(`${conch.url}${path}`, body({ stream: false }));
    expect([response.status, response.headers.get('x-conch-ignored')]).toEqual([200, 'tools']);
    expect(response.text).toContain('"content":"Hi."');
  });

  it('are offered by --tool-prompt, for a whole loop of calls', async () => {
    const prompted = await startGateway(...llamaTokenizer(), '--tool-prompt', 'vllm-llama=default');
    try {
      const first = { messages: user(weatherRounds), tools };
      const calls = ['Bern', 'Zürich'].map((city) =>
        called('get_weather', JSON.stringify({ city }).replace(':', ': ')),
      );
      const { choices } = await ask(prompted.url, { model: 'vllm-llama', ...first });
      expect(choices).toEqual([choiceWith({ content: 'Let me see.', calls })]);
    } finally {
      await prompted.stop();
    }
  });
});

describe('a parser that does not exist', () => {
  it.each([
    [
      '--tool-call-parser',
      'hermess',
      /--tool-call-parser \(tool_call_parser\): unknown parser "hermess"\. .*Known parsers are .*hermes, .*none\./,
    ],
    ['--tool-call-parser', 'vllm-toy=hermess', /unknown parser "hermess"\. .*Known parsers are .*deepseek_v31, /],
    [
      '--reasoning-parser',
      'qwen',
      /--reasoning-parser \(reasoning_parser\): unknown parser "qwen"\. .*Known parsers are .*qwen3, .*none\./,
    ],
  ])('ends the start with the list of those that do: %s %s', async (flag, value, expected) => {
    const { code, stderr } = await runConch([...gatewayFlags(), flag, value]);
    expect(code).toBe(2);
    expect(stderr).toMatch(expected);
  });
});
