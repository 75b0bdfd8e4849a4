import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readInTwoParts, streamedChoices, textsOf, user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';

const patience = 180_000;
let conch: Conch;

beforeAll(async () => {
  const template = ['--chat-template', inRoot('test/gateway/plain.jinja')];
  const tokenizer = ['--tokenizer', tokenizerFolder('qwen3')];
  conch = await startConch({
    flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`, ...tokenizer, ...template],
  });
}, patience);
afterAll(() => conch.stop());

let tags = 0;
const newTag = () => `checked-${++tags}`;

const complete = (body: object): Promise<Response> =>
  post(`${conch.url}/v1/completions`, { model: 'vllm-toy', max_tokens: 200, ...body });
const chat = (body: object): Promise<Response> =>
  post(`${conch.url}/v1/chat/completions`, { model: 'vllm-toy', max_tokens: 200, ...body });
const headerOf = ({ headers }: Response) => headers.get('x-conch-structured');
const inferencesOf = async (tag: string) =>
  Number(textsOf(await complete({ prompt: directive({ requests_of: tag }) }))[0]);
const errorOf = ({ status, body }: Response) => ({ status, ...body.error });

/** Fails with a text of vLLM before the first token. */
const failing = (tag: string, text: string) => directive({ tag, error_at: 0, error_text: text });

const lookAhead =
  'Grammar error: at 1(8): invalid regex "(?=a)b" (in regex): regex parse error:\n    (?=a)b\n    ^^^\n' +
  'error: look-around, including look-ahead and look-behind, is not supported\n   1 | start: /(?=a)b/\n';

describe('a guide that the backend refuses', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const tool = { type: 'function', function: { name: 'f', parameters: schema } };
  const format = { type: 'json_schema', json_schema: { name: 's', schema } };
  const location = 'response_format.json_schema.schema';

  it.each<[string, object, string, string]>([
    [
      'guided_regex',
      { guided_regex: 'a+' },
      lookAhead,
      'look-around, including look-ahead and look-behind, is not supported.',
    ],
    ['guided_choice', { guided_choice: ['a'] }, 'Failed to transform choices into a grammar: no', 'no.'],
    [
      'guided_grammar',
      { guided_grammar: 'root ::= "a"' },
      "Failed to convert the grammar from GBNF to Lark: Rule 'b' not found",
      "Rule 'b' not found.",
    ],
    [
      'structured_outputs.json',
      { structured_outputs: { json: schema } },
      'Grammar error: Traceback (most recent call last):\n  File "/opt/tritonserver/x.py", line 1\nUnimplemented keys: ["a"]',
      'Unimplemented keys: ["a"].',
    ],
    [
      location,
      { response_format: format },
      'The provided JSON schema contains features not supported by xgrammar.',
      'The provided JSON schema contains features not supported by xgrammar.',
    ],
    [
      'tools[0].function.parameters',
      { tools: [tool], tool_choice: 'required' },
      'Failed to transform json schema into a grammar: [05:40:09] /project/cpp/a.cc:75: unsupported\n',
      'unsupported.',
    ],
  ])('is a 400 that names %s, after one inference', async (param, option, text, reason) => {
    for (const stream of [false, true]) {
      const tag = newTag();
      const response = await chat({ messages: user(failing(tag, text)), stream, ...option });
      expect(errorOf(response)).toEqual({
        status: 400,
        code: 'invalid_request',
        type: 'invalid_request_error',
        param,
        message: `${param}: the backend refused it: ${reason}`,
      });
      expect(await inferencesOf(tag)).toBe(1);
    }
  });

  it('has the field of the Responses API', async () => {
    const input = failing(newTag(), 'Grammar error: no');
    const text = { format: { type: 'json_schema', name: 's', schema } };
    const response = await post(`${conch.url}/v1/responses`, { model: 'vllm-toy', input, text });
    expect(errorOf(response)).toMatchObject({ status: 400, param: 'text.format.schema' });
  });

  it('says nothing against the server', async () => {
    const prompt = failing(newTag(), lookAhead);
    for (let at = 0; at < 40; at++) expect((await complete({ prompt, guided_regex: 'a+' })).status).toBe(400);
    const response = await fetch(`${conch.url}/v1/servers`);
    const { data } = (await response.json()) as { data: { failures: number; failure_rate: number }[] };
    expect(data).toMatchObject([{ failures: 0, failure_rate: 0 }]);
  });
});

describe('what no backend could use', () => {
  it.each<[object, string, string]>([
    [{ guided_grammar: 'a ::= "x"' }, 'guided_grammar', 'has no rule root, which is where a response begins.'],
    [{ guided_grammar: 'root ::= b' }, 'guided_grammar', 'line 1, rule root: the rule b is not defined.'],
    [
      { structured_outputs: { grammar: 'start: "a"' } },
      'structured_outputs.grammar',
      'is in the notation of Lark. Write it as EBNF: rules such as root ::= "text", one named root.',
    ],
    [
      { bad_words: ['x', ' \n'] },
      'bad_words[1]',
      '" \\n" has only white space, which this backend cannot forbid. Use words with other characters, or stop.',
    ],
  ])('is a 400 without an inference: %j', async (option, param, reason) => {
    const tag = newTag();
    const response = await complete({ prompt: directive({ tag, answer: 'x' }), ...option });
    expect(errorOf(response)).toEqual({
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
      param,
      message: `${param}: ${reason}`,
    });
    expect(await inferencesOf(tag)).toBe(0);
  });

  it('is not a grammar that only one library reads: it is sent as both do', async () => {
    const response = await complete({
      prompt: directive({ echo_parameters: true }),
      guided_grammar: 'root ::= start\n  | "b"\nstart ::= "a"\n',
    });
    const [text = '{}'] = textsOf(response);
    const { sampling_parameters: sent } = JSON.parse(text) as { sampling_parameters: { structured_outputs: string } };
    expect(JSON.parse(sent.structured_outputs)).toEqual({ grammar: 'root ::= r1 | "b"\nr1 ::= "a"' });
  });
});

const multiple = { type: 'object', properties: { a: { type: 'integer', multipleOf: 3 } }, required: ['a'] };
const counted = { type: 'object', properties: { a: { type: 'string' } }, minProperties: 1 };
const right = '{"a": 6}';
const wrong = '{"a": 7}';
const failure = '$.a must be a multiple of 3';

/** What a response that never has its structure is. */
const invalid = (message: string, { field = 'guided_json', tries = 3 } = {}) => ({
  status: 502,
  code: 'structured_output_invalid',
  type: 'server_error',
  param: field,
  message: `The response does not match the requested structure${tries > 1 ? ` after ${tries} tries` : ''}: ${message}.`,
});

describe('a guided response that may break its guide', () => {
  it.each<[object, string]>([
    [{ guided_json: multiple }, right],
    [{ guided_regex: '[一-龥]{3}' }, '一二三'],
    [{ structured_outputs: { regex: '\\d{2}[Ā-ſ]+é' } }, '12āé'],
  ])('is a success where it has not: %j', async (option, text) => {
    const response = await complete({ prompt: directive({ answer: text }), ...option });
    expect([response.status, textsOf(response), headerOf(response)]).toEqual([200, [text], 'guided; tries=1']);
    const stream = await complete({ prompt: directive({ answer: text }), stream: true, ...option });
    expect(streamedChoices(stream)).toEqual([{ text, reasons: ['stop'] }]);
    expect(headerOf(stream)).toBe('guided; tries=1');
  });

  it.each<[object, string, string]>([
    [{ guided_json: multiple }, wrong, right],
    [{ guided_regex: '[一-龥]{3}' }, 'hi!', '一二三'],
    [{ guided_json: counted }, '{"a": "x\ufffdy"}', '{"a": "xy"}'],
  ])('is asked for again: %j', async (option, broken, text) => {
    const tag = newTag();
    const orders = { tag, answer: text, broken_answer: broken, broken_times: 2 };
    const response = await complete({ prompt: directive(orders), ...option });
    expect([response.status, textsOf(response), headerOf(response)]).toEqual([200, [text], 'guided; tries=3']);
    expect(await inferencesOf(tag)).toBe(3);
  });

  it('is asked for again in a chat, guided each time', async () => {
    const tag = newTag();
    const messages = user(directive({ tag, answer: right, broken_answer: wrong, broken_times: 1 }));
    const response_format = { type: 'json_schema', json_schema: { name: 's', schema: multiple } };
    const response = await chat({ messages, response_format, n: 1 });
    expect([textsOf(response), headerOf(response), await inferencesOf(tag)]).toEqual([[right], 'guided; tries=2', 2]);
  });

  it('is an error when no try keeps to it', async () => {
    const tag = newTag();
    const response = await complete({ prompt: directive({ tag, answer: wrong }), guided_json: multiple, n: 1 });
    expect([errorOf(response), headerOf(response)]).toEqual([invalid(failure), 'guided; tries=3']);
    expect(await inferencesOf(tag)).toBe(3);
  });

  it('is an error at once where the next would be the same', async () => {
    const response = await complete({ prompt: directive({ answer: wrong }), guided_json: multiple, temperature: 0 });
    expect([errorOf(response), headerOf(response)]).toEqual([invalid(failure, { tries: 1 }), 'guided; tries=1']);
  });

  it('is never a success in a stream', async () => {
    const text = await readInTwoParts(conch.url, (held) => {
      const prompt = directive({ ...held, answer: wrong });
      return { model: 'vllm-toy', prompt, guided_json: multiple };
    });
    const { status: _, ...error } = invalid(failure, { tries: 1 });
    expect(eventsOf(text).at(-1)).toEqual({ error });
    expect(text).not.toMatch(/"finish_reason":"|\[DONE\]/);
  });

  it('may be cut off by the token limit and by a stop sequence', async () => {
    const prompt = directive({ answer: '{"a": 6, "b": "some text"}' });
    const cut = await complete({ prompt, guided_json: multiple, max_tokens: 6 });
    expect(cut.body['choices']).toMatchObject([{ finish_reason: 'length', text: expect.stringMatching(/^\{"a": 6/) }]);
    const stopped = await complete({ prompt, guided_json: multiple, stop: ['some'] });
    expect(stopped.body['choices']).toMatchObject([{ finish_reason: 'stop', text: '{"a": 6, "b": "' }]);
    const broken = await complete({
      prompt: directive({ answer: 'Here it is: {}' }),
      guided_json: multiple,
      max_tokens: 2,
    });
    expect(errorOf(broken)).toEqual(invalid('it is not JSON'));
  });

  it('is each of several choices', async () => {
    const tag = newTag();
    const prompt = directive({ tag, answer: right, broken_answer: wrong, broken_times: 2 });
    const response = await complete({ prompt, guided_json: multiple, n: 2 });
    expect([textsOf(response), headerOf(response), await inferencesOf(tag)]).toEqual([
      [right, right],
      expect.any(String),
      4,
    ]);
  });

  it('is what a forced call says', async () => {
    const tool = { type: 'function', function: { name: 'f', parameters: multiple } };
    const named = { type: 'function', function: { name: 'f' } };
    const list = (json: string) => `[{"name": "f", "parameters": ${json}}]`;
    for (const [choice, write] of [
      ['required', list],
      [named, (json: string) => json],
    ] as const) {
      const orders = { tag: newTag(), answer: write(right), broken_answer: write(wrong), broken_times: 1 };
      const body = { messages: user(directive(orders)), tools: [tool], tool_choice: choice };
      const response = await chat(body);
      expect([response.body['choices'], headerOf(response)]).toMatchObject([
        [{ message: { tool_calls: [{ function: { name: 'f', arguments: right } }] } }],
        'guided; tries=2',
      ]);
      const never = await chat({ ...body, messages: user(directive({ answer: write(wrong) })) });
      const reason = `the arguments of f do not match its schema: ${failure}`;
      expect(errorOf(never)).toEqual(invalid(reason, { field: 'tool_choice' }));
    }
  });

  it('is checked through the Responses API', async () => {
    const text = { format: { type: 'json_schema', name: 's', schema: multiple } };
    const orders = { tag: newTag(), answer: right, broken_answer: wrong, broken_times: 1 };
    const response = await post(`${conch.url}/v1/responses`, { model: 'vllm-toy', input: directive(orders), text });
    expect(response.body['output']).toMatchObject([{ content: [{ text: right }] }]);
    expect(headerOf(response)).toBe('guided; tries=2');
  });
});

describe('a guide that is known to be kept to', () => {
  it.each<[object, string]>([
    [{ guided_choice: ['ja', 'nein'] }, 'vielleicht'],
    [{ guided_regex: '[a-z]+' }, 'ABC'],
    [{ guided_json: { type: 'object', properties: { a: { type: 'integer' } } } }, '{"a": "x"}'],
  ])('is not checked again: %j', async (option, text) => {
    const response = await complete({ prompt: directive({ answer: text }), ...option });
    expect([response.status, textsOf(response), headerOf(response)]).toEqual([200, [text], null]);
  });
});

describe('calls that the token limit cuts off', () => {
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }];
  const response =
    '[{"name": "get_weather", "parameters": {"city": "Bern"}}, {"name": "get_weather", "parameters": {}}]';

  it('leave no JSON in the text', async () => {
    for (let limit = 1; limit <= 24; limit += 1) {
      const body = {
        messages: user(directive({ answer: response })),
        tools,
        tool_choice: 'required',
        max_tokens: limit,
      };
      const whole = await chat(body);
      const [choice] = whole.body['choices'] as { message: { content: unknown }; finish_reason: string }[];
      expect([limit, choice?.message.content ?? '', choice?.finish_reason]).toEqual([limit, '', 'length']);
      const stream = await chat({ ...body, stream: true });
      expect([limit, streamedChoices(stream)]).toEqual([limit, [{ text: '', reasons: ['length'] }]]);
    }
  });
});
