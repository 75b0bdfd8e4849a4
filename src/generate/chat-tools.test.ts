import { describe, expect, it } from 'vitest';
import {
  cutEverywhere,
  folded,
  outcomeOf,
  type Script,
  scriptedModel,
  templateOf,
  vllmConfig,
} from '../../test/support/scripted-model.ts';
import { vllmContract } from '../contracts/vllm.ts';
import { ApiError } from '../errors.ts';
import { StatusError } from '../kserve/status.ts';
import { ChatRequest } from '../requests/chat-request.ts';
import { chat } from './chat.ts';
import { countPrompt } from './count-prompt.ts';
import type { GenerateContext } from './generated-response.ts';
import { applyTemplate } from './tokenize.ts';

type Tools = NonNullable<ChatRequest['tools']>;
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools: Tools = [{ type: 'function', function: { name: 'weather', parameters: place } }];

/** Writes each message on a line of its own, like the template of SmolLM2: it knows no tools. */
const plain = '{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}<assistant>';
const withoutTools = { assets: { template: templateOf(plain), eosTokenIds: [] } };
const prompted = { ...withoutTools, toolPrompt: 'default' };

interface Requested extends Partial<ChatRequest> {
  readonly context?: Partial<GenerateContext>;
  readonly served?: Parameters<typeof scriptedModel>[1];
}

const bodyOf = (request: Partial<ChatRequest>) =>
  ({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true, ...request }) as ChatRequest;

const ask = (script: Script, requested: Requested = {}) => askAll([script], requested);

async function askAll(scripts: readonly [Script, ...Script[]], { context, served, ...request }: Requested) {
  const scripted = scriptedModel(scripts, served);
  const response = await chat(bodyOf(request), scripted.context(context), new AbortController().signal);
  const { events, error } = await outcomeOf(response.generation);
  const { ignored, structuredHeader } = response;
  return { choices: folded(events), error, ignored, structuredHeader, sent: scripted.sent };
}

const errorOf = async (response: Promise<unknown>): Promise<unknown> => {
  const error = await response.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  return error instanceof ApiError ? [error.code, error.param, error.message] : error;
};

const unsupported = [
  'unsupported_parameter',
  'tools',
  "tools: not supported by this model's chat template. Start Conch with --tool-prompt m=default.",
];

describe('tools for a chat template without them', () => {
  const call = '<tool_call>{"name": "weather", "arguments": {}}</tool_call>';

  it.each([true, false])('are dropped and named (template loaded: %s)', async (isLoaded) => {
    const served = { ...withoutTools, isLoaded };
    const { choices, ignored, sent } = await ask({ tokens: [call] }, { tools, tool_choice: 'auto', served });
    expect({ choices, ignored, prompt: sent[0]?.prompt }).toEqual({
      choices: [{ text: call, reasoning: '', calls: [], finish: 'stop' }],
      ignored: ['tools'],
      prompt: '<user>Hi\n<assistant>',
    });
  });

  it('leave a structure guided, as if there were none', async () => {
    const { ignored, sent, choices } = await ask(
      { tokens: ['{}'] },
      { tools, response_format: { type: 'json_object' }, served: { ...withoutTools, isLoaded: false } },
    );
    expect([ignored, choices[0]?.text]).toEqual([['tools'], '{}']);
    expect(sent[0]?.parameters['structured_outputs']).toBe('{"json_object":true}');
  });

  it.each<Partial<ChatRequest>>([
    { tool_choice: 'required' },
    { tool_choice: { type: 'function', function: { name: 'weather' } } },
  ])('are refused where one must be called: %j', async (choice) => {
    expect(await errorOf(ask({ tokens: [] }, { tools, ...choice, served: withoutTools }))).toEqual(unsupported);
  });

  it('are refused by --strict-fields', async () => {
    const context = { strictFields: true };
    expect(await errorOf(ask({ tokens: [] }, { tools, served: withoutTools, context }))).toEqual(unsupported);
    expect(
      (await ask({ tokens: ['a'] }, { tools, tool_choice: 'none', served: withoutTools, context })).ignored,
    ).toEqual([]);
  });

  it('are dropped from counts and from rendered prompts too', async () => {
    const tokenizer = { vocabularySize: 9, count: async (text: string) => text.length } as never;
    const { context } = scriptedModel([{ tokens: [] }], { assets: { ...withoutTools.assets, tokenizer } });
    const counted = await countPrompt(bodyOf({ tools }), context(), new AbortController().signal);
    expect(counted).toEqual({ tokens: '<user>Hi\n<assistant>'.length, ignored: ['tools'] });
    const named = { ...context(), findNamed: () => context().findModel('m'), signal: new AbortController().signal };
    const body = ChatRequest.parse(bodyOf({ tools }));
    expect(await applyTemplate(body, named)).toEqual({
      prompt: '<user>Hi\n<assistant>',
      ignored: ['tools'],
    });
  });
});

describe('a tool prompt', () => {
  const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>';

  it('describes the tools in the system message, and calls are read however they are cut', async () => {
    for (const tokens of cutEverywhere(`Wait. ${call}`)) {
      const { choices, ignored, sent } = await ask({ tokens }, { tools, served: prompted });
      expect([choices, ignored]).toEqual([
        [{ text: 'Wait. ', reasoning: '', calls: ['weather{"city": "Bern"}'], finish: 'tool_calls' }],
        [],
      ]);
      expect(sent[0]?.prompt).toMatch(/^<system>You can call functions\.[^]*\n<user>Hi\n<assistant>$/);
      expect(sent[0]?.prompt).toContain(`\n${JSON.stringify({ name: 'weather', parameters: place })}\n`);
    }
  });

  it('is the text that is set, at the end of a system message', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ];
    const served = { ...prompted, toolPrompt: 'Use these:\n{tools}' };
    const { sent } = await ask({ tokens: ['a'] }, { tools, messages, served });
    expect(sent[0]?.prompt).toBe(
      `<system>Be brief.\n\nUse these:\n${JSON.stringify(tools[0]?.function)}\n<user>Hi\n<assistant>`,
    );
  });

  it('is in the message of the user if the template takes no system message', async () => {
    const strict = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}";
    const template = templateOf(`${strict}<{{ m.role }}>{{ m.content }}\n{% endfor %}`);
    const served = { assets: { template, eosTokenIds: [] }, toolPrompt: '{tools}' };
    const { sent } = await ask({ tokens: ['a'] }, { tools, served });
    expect(sent[0]?.prompt).toBe(`<user>Hi\n\n${JSON.stringify(tools[0]?.function)}\n`);
  });

  it('writes earlier calls and their results as text', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Wait.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city": "Bern"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Sunny' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'Rain' }] },
    ];
    const { sent } = await ask({ tokens: ['a'] }, { tools, messages, served: { ...prompted, toolPrompt: '{tools}' } });
    expect(sent[0]?.prompt.split('\n').slice(1).join('\n')).toBe(
      `<user>Hi\n<assistant>Wait.\n${call}\n<tool_call>\n{"name": "weather", "arguments": {}}\n</tool_call>\n` +
        '<user><tool_response>\nSunny\n</tool_response>\n' +
        '<user><tool_response>\nRain\n</tool_response>\n<assistant>',
    );
  });

  it('lets a call be required', async () => {
    const request = { tools, tool_choice: 'required' as const, served: prompted };
    const list = '[{"name": "weather", "parameters": {"city": "Bern"}}]';
    const { choices } = await ask({ tokens: [list] }, request);
    expect(choices[0]?.calls).toEqual(['weather{"city": "Bern"}']);
  });

  it('is not used where the template has tools, or none is offered', async () => {
    const { sent } = await ask({ tokens: ['a'] }, { served: prompted });
    expect(sent[0]?.prompt).toBe('<user>Hi\n<assistant>');
    const served = { toolPrompt: 'default', toolCallParser: 'hermes' };
    expect((await ask({ tokens: ['a'] }, { tools, served })).sent[0]?.prompt).toBe('<user>Hi\n<assistant>');
  });
});

describe('hints that a chat template does not read', () => {
  const hints = { reasoning_effort: 'low', verbosity: 'high' };

  it('are ignored and named', async () => {
    expect((await ask({ tokens: ['a'] }, hints)).ignored).toEqual(['reasoning_effort', 'verbosity']);
    expect((await ask({ tokens: ['a'] }, { verbosity: 'medium' })).ignored).toEqual([]);
  });

  it('are refused by --strict-fields', async () => {
    expect(await errorOf(ask({ tokens: [] }, { ...hints, context: { strictFields: true } }))).toEqual([
      'unsupported_parameter',
      'reasoning_effort',
      "reasoning_effort: not supported by this model's chat template.",
    ]);
  });

  it('reach a template that reads them', async () => {
    const template = templateOf('{{ reasoning_effort }} {{ verbosity }}');
    const { sent, ignored } = await ask(
      { tokens: ['a'] },
      { ...hints, served: { assets: { template, eosTokenIds: [] } } },
    );
    expect([sent[0]?.prompt, ignored]).toEqual(['low high', []]);
  });

  it.each<[string, Partial<ChatRequest>, string, string[]]>([
    ['{{ enable_thinking }}', {}, 'False', []],
    ['{{ thinking }}', {}, 'False', []],
    ['{{ enable_thinking }}', { enable_thinking: true }, 'True', []],
    ['{{ thinking }}', { chat_template_kwargs: { thinking: true } }, 'True', []],
    ['{{ other }}', {}, '', ['reasoning_effort']],
  ])('switch the reasoning of %s off with none and %j', async (text, more, prompt, ignored) => {
    const served = { assets: { template: templateOf(text), eosTokenIds: [] } };
    const response = await ask({ tokens: ['a'] }, { reasoning_effort: 'none', ...more, served });
    expect([response.sent[0]?.prompt, response.ignored]).toEqual([prompt, ignored]);
  });
});

describe('a structure beside tools', () => {
  const answer = {
    type: 'object',
    properties: { text: { $ref: '#/$defs/Text' } },
    required: ['text'],
    additionalProperties: false,
    $defs: { Text: { type: 'string' } },
  };
  const format = (schema: object): Partial<ChatRequest> => ({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: schema as Record<string, unknown> },
    },
  });
  const guideOf = ({ sent }: Awaited<ReturnType<typeof ask>>): unknown => {
    const guide = sent[0]?.parameters['structured_outputs'] as string | undefined;
    return guide === undefined ? undefined : (JSON.parse(guide) as { json: unknown }).json;
  };

  it('is guided to a list of calls or to the object, which the model is told', async () => {
    const response = await ask({ tokens: ['{"text": "a"}'] }, { tools, ...format(answer) });
    expect(response.choices).toEqual([{ text: '{"text": "a"}', reasoning: '', calls: [], finish: 'stop' }]);
    expect(guideOf(response)).toEqual({
      anyOf: [
        {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: { name: { const: 'weather' }, parameters: { ...place, additionalProperties: false } },
            required: ['name', 'parameters'],
            additionalProperties: false,
          },
        },
        {
          type: 'object',
          properties: { text: { $ref: '#/$defs/d0' } },
          required: ['text'],
          additionalProperties: false,
        },
      ],
      $defs: { d0: { type: 'string' } },
    });
    expect(response.sent[0]?.prompt).toBe(
      '<system>To call functions, answer with a JSON list of the calls, and nothing else: ' +
        '[{"name": "FUNCTION", "parameters": {…}}]\nIf you call no function: Answer with JSON that is valid by this JSON ' +
        `schema, and nothing else: no text around it and no code fence.\n${JSON.stringify(answer)}\n<user>Hi\n<assistant>`,
    );
  });

  it('has calls, however they are cut', async () => {
    for (const tokens of cutEverywhere(' [{"name": "weather", "parameters": {"city": "Bern"}}]')) {
      const { choices } = await ask({ tokens }, { tools, ...format(answer) });
      expect(choices).toEqual([{ text: '', reasoning: '', calls: ['weather{"city": "Bern"}'], finish: 'tool_calls' }]);
    }
  });

  it('has at most one call without parallel calls', async () => {
    const response = await ask(
      { tokens: ['{}'] },
      { tools, parallel_tool_calls: false, response_format: { type: 'json_object' } },
    );
    expect(guideOf(response)).toMatchObject({ anyOf: [{ maxItems: 1 }, { type: 'object' }] });
  });

  it('does not take an object for a call', async () => {
    const object = '{"name": "weather", "parameters": {"city": "Bern"}}';
    const { choices } = await ask({ tokens: [object] }, { tools, response_format: { type: 'json_object' } });
    expect(choices).toEqual([{ text: object, reasoning: '', calls: [], finish: 'stop' }]);
  });

  it('is checked where the guide is not exact', async () => {
    const even = { type: 'object', properties: { n: { type: 'integer', multipleOf: 2 } }, required: ['n'] };
    const request = { tools, ...format(even), stream: false };
    const { structuredHeader, choices } = await ask({ tokens: ['{"n": 4}'] }, request);
    expect([structuredHeader, choices[0]?.text]).toEqual(['guided; tries=1', '{"n": 4}']);
    expect(await errorOf(ask({ tokens: ['{"n": 3}'] }, request))).toEqual([
      'structured_output_invalid',
      'response_format',
      'The response does not match the requested structure after 3 tries: $.n must be a multiple of 2.',
    ]);
    const called = await ask({ tokens: ['[{"name": "weather", "parameters": {"city": "Bern"}}]'] }, request);
    expect(called.choices[0]?.calls).toEqual(['weather{"city": "Bern"}']);
  });

  it.each<[string, Partial<ChatRequest>, Tools]>([
    ['the text may be a list', format({ type: 'array', items: { type: 'string' } }), tools],
    [
      'a tool has a schema that the backend does not support',
      format(answer),
      [
        {
          type: 'function',
          function: { name: 'weather', parameters: { type: 'object', patternProperties: { '^a(?=b)': {} } } },
        },
      ],
    ],
  ])('is only checked where %s', async (_, request, offered) => {
    const tokens = ['<tool_call>{"name": "weather", "arguments": {"city": "Bern"}}</tool_call>'];
    const response = await ask({ tokens }, { tools: offered, ...request, served: { toolCallParser: 'hermes' } });
    expect([guideOf(response), response.choices[0]?.calls]).toEqual([undefined, ['weather{"city": "Bern"}']]);
  });
});

describe('a tool with a schema that is wrong', () => {
  const parameters = { type: 'object', properties: { city: { type: 'text' }, at: { pattern: '(?i)a' } } };
  const wrong: Tools = [...tools, { type: 'function', function: { name: 'find', parameters } }];
  const param = 'tools[1].function.parameters.properties.at.pattern';
  const served = { toolCallParser: 'hermes' };
  const answer = { tokens: ['<tool_call>{"name": "find", "arguments": {"city": "Bern"}}</tool_call>'] };

  it('can be called, and the schema is named', async () => {
    const { choices, ignored } = await ask(answer, { tools: wrong, served });
    expect([choices[0]?.calls, ignored]).toEqual([['find{"city": "Bern"}'], [param]]);
  });

  it('is not part of a guide', async () => {
    const { sent, choices } = await ask(answer, { tools: wrong, served, response_format: { type: 'json_object' } });
    expect([sent[0]?.parameters['structured_outputs'], choices[0]?.calls]).toEqual([
      undefined,
      ['find{"city": "Bern"}'],
    ]);
  });

  it.each<[string, Requested]>([
    ['a call is required', { tool_choice: 'required' }],
    ['it must be called', { tool_choice: { type: 'function', function: { name: 'find' } } }],
    ['fields are strict', { context: { strictFields: true } }],
  ])('is refused where %s', async (_, request) => {
    expect(await errorOf(ask(answer, { tools: wrong, served, ...request }))).toEqual([
      'invalid_request',
      param,
      `${param}: is not a valid regular expression.`,
    ]);
  });

  it('is refused where it is strict', async () => {
    const strict: Tools = [{ type: 'function', function: { name: 'find', parameters, strict: true } }];
    const strictParam = param.replace('[1]', '[0]');
    expect(await errorOf(ask(answer, { tools: strict, served }))).toEqual([
      'invalid_request',
      strictParam,
      `${strictParam}: is not a valid regular expression.`,
    ]);
  });
});

describe('a guide for calls or text that the backend refuses', () => {
  const contract = { ...vllmContract(vllmConfig), guide: undefined };
  const served = { toolCallParser: 'hermes', contract };
  const request: Requested = { tools, served, response_format: { type: 'json_object' } };
  const refusal = { tokens: [], end: new StatusError('INVALID_ARGUMENT', 'Grammar error: no such thing') };
  const call = { tokens: ['<tool_call>{"name": "weather", "arguments": {"city": "Bern"}}</tool_call>'] };

  it.each([true, false])('is left out, and the response is checked (stream: %s)', async (stream) => {
    const response = await askAll([refusal, call], { ...request, stream });
    expect(response.sent.map(({ parameters }) => 'structured_outputs' in parameters)).toEqual([true, false]);
    expect([response.choices[0]?.calls, response.structuredHeader]).toEqual([
      ['weather{"city": "Bern"}'],
      'emulated; tries=1',
    ]);
  });

  it('is an error for a call that is required, and other errors stay', async () => {
    const whole = { ...request, stream: false };
    const { error, sent } = await askAll([refusal, call], { ...whole, tool_choice: 'required' });
    expect([error, sent.length]).toEqual(['invalid_request', 1]);
    const failure = { tokens: [], end: new StatusError('INTERNAL', 'broken') };
    expect(await errorOf(askAll([failure, call], whole))).toEqual(['backend_error', null, expect.any(String)]);
  });
});
