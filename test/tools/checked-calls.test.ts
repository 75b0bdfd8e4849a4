import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { called, choiceWith, tools, written } from './requests.ts';

const patience = 180_000;
let triton: Trtllm;
let conch: Conch;
let refusing: Conch;

beforeAll(async () => {
  triton = await startTrtllm({ models: ['llmapi'], release: 'main' });
  const servers = [triton.grpcPort, inject('triton').grpcPort].flatMap((port) => ['--triton', `127.0.0.1:${port}`]);
  const flags = [...servers, '--tokenizer', tokenizerFolder('qwen3')];
  conch = await startConch({ flags });
  refusing = await startConch({ flags: [...flags, '--structured-retries', '0'] });
}, patience);
afterAll(async () => {
  await conch.stop();
  await refusing.stop();
  await triton.stop();
});

const strictTools = tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }));
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const format = { type: 'json_schema', json_schema: { name: 's', schema } };
const right = written('get_weather', '{"city": "Bern"}');
const wrong = written('get_weather', '{"city": 7}');

/** What llmapi, which cannot guide an answer, or vLLM, which can, makes of it. */
const ask = (model: 'llmapi' | 'vllm-toy', response: string, body: object): Promise<Response> =>
  post(`${conch.url}/v1/chat/completions`, {
    model,
    max_tokens: 300,
    messages: user(directive({ answer: response })),
    ...body,
  });
const choicesOf = ({ body }: Response) => body['choices'];
const triesOf = ({ headers }: Response) => headers.get('x-conch-structured');
const errorOf = ({ status, body }: Response) => [
  status,
  body.error?.['code'],
  body.error?.['param'],
  body.error?.['message'],
];
const named = { type: 'function', function: { name: 'get_weather' } };

describe('tool_choice where the backend cannot guide', () => {
  it.each([['required'], [named]])('%j: an answer that calls is as asked for', async (choice) => {
    const response = await ask('llmapi', right, { tools, tool_choice: choice });
    expect(choicesOf(response)).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "Bern"}')] })]);
    expect(triesOf(response)).toBe('emulated; tries=1');
  });

  it.each([['required'], [named]])('%j: the model is told so', async (choice) => {
    const response = await ask('llmapi', 'No.', { tools, tool_choice: choice });
    const error = 'The response does not match the requested structure after 3 tries: it calls no function.';
    expect(errorOf(response)).toEqual([502, 'structured_output_invalid', 'tool_choice', error]);
    const messages = user(directive({ echo_prompt: true }));
    const echo = await post(`${conch.url}/v1/chat/completions`, {
      model: 'llmapi',
      messages,
      tools,
      tool_choice: choice,
    });
    expect(errorOf(echo)[0]).toBe(502);
  });

  it('a call with the wrong arguments is not run, and asked for again', async () => {
    const messages = user(directive({ answer_by_seed: [wrong, right] }));
    const response = await ask('llmapi', '', { messages, seed: 0, tools, tool_choice: 'required' });
    expect(choicesOf(response)).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "Bern"}')] })]);
    expect(triesOf(response)).toBe('emulated; tries=2');
  });

  it('is refused where answers are not to be tried again', async () => {
    const response = await post(`${refusing.url}/v1/chat/completions`, {
      model: 'llmapi',
      messages: user('x'),
      tools,
      tool_choice: 'required',
    });
    expect(errorOf(response).slice(0, 3)).toEqual([400, 'unsupported_parameter', 'tool_choice']);
  });
});

describe.each(['llmapi', 'vllm-toy'] as const)('strict functions, called freely (%s)', (model) => {
  it('are called with arguments by their schema', async () => {
    const response = await ask(model, right, { tools: strictTools });
    expect(choicesOf(response)).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "Bern"}')] })]);
    expect(triesOf(response)).toBe('emulated; tries=1');
  });

  it('need not be called', async () => {
    const response = await ask(model, 'No.', { tools: strictTools });
    expect(choicesOf(response)).toEqual([choiceWith({ content: 'No.' })]);
  });

  it('are never called with others', async () => {
    const error =
      'The response does not match the requested structure after 3 tries: the arguments of get_weather do not match its ' +
      'schema: $.city must be of type string.';
    expect(errorOf(await ask(model, wrong, { tools: strictTools }))).toEqual([
      502,
      'structured_output_invalid',
      'tools',
      error,
    ]);
  });

  it('streamed, wrong arguments end the answer with a fault', async () => {
    const response = await ask(model, wrong, { tools: strictTools, stream: true });
    const last = eventsOf(response.text).at(-1) as { error?: { code: string; param: string } };
    expect([response.status, last.error?.code, last.error?.param]).toEqual([200, 'structured_output_invalid', 'tools']);
    expect(response.text).not.toContain('"finish_reason":"tool_calls"');
  });

  it('whose schema cannot be checked are refused by the keyword', async () => {
    const odd = { type: 'object', properties: { a: { $dynamicRef: '#x' } } };
    const offered = [{ type: 'function', function: { name: 'f', strict: true, parameters: odd } }];
    expect(errorOf(await ask(model, 'x', { tools: offered })).slice(0, 3)).toEqual([
      400,
      'unsupported_parameter',
      'tools[0].function.parameters.properties.a.$dynamicRef',
    ]);
  });
});

describe('response_format beside tools is guided where the backend can', () => {
  const both = { tools, response_format: format };

  it('to calls, streamed or not', async () => {
    const list = '[{"name": "get_weather", "parameters": {"city": "Bern"}}]';
    const response = await ask('vllm-toy', list, both);
    expect(choicesOf(response)).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "Bern"}')] })]);
    expect((await ask('vllm-toy', list, { ...both, stream: true })).text).toContain('"finish_reason":"tool_calls"');
  });

  it('to the schema', async () => {
    expect(choicesOf(await ask('vllm-toy', '{"n": 1}', both))).toEqual([choiceWith({ content: '{"n": 1}' })]);
  });
});

describe('response_format beside tools is checked where the backend cannot guide', () => {
  const model = 'llmapi';
  const both = { tools, response_format: format };

  it('leaves room for calls', async () => {
    const response = await ask(model, `I ask.\n${right}`, both);
    const calls = [called('get_weather', '{"city": "Bern"}')];
    expect(choicesOf(response)).toEqual([choiceWith({ content: 'I ask.', calls })]);
  });

  it('leaves room for calls in a stream, too', async () => {
    const response = await ask(model, `I ask.\n${right}`, { ...both, stream: true });
    expect(response.text).toContain('"finish_reason":"tool_calls"');
    expect(eventsOf(response.text).at(-1)).toBe('[DONE]');
  });

  it('is the form of an answer that calls nothing', async () => {
    const response = await ask(model, '{"n": 1}', both);
    expect(choicesOf(response)).toEqual([choiceWith({ content: '{"n": 1}' })]);
    expect(errorOf(await ask(model, 'One.', both)).slice(0, 3)).toEqual([
      502,
      'structured_output_invalid',
      'response_format',
    ]);
  });

  it('is refused by a keyword that cannot be checked', async () => {
    const odd = { type: 'json_schema', json_schema: { name: 's', schema: { $dynamicRef: '#x' } } };
    expect(errorOf(await ask(model, '{}', { tools, response_format: odd })).slice(0, 3)).toEqual([
      400,
      'unsupported_parameter',
      'response_format.json_schema.schema.$dynamicRef',
    ]);
  });

  it('has no say where a call is insisted on', async () => {
    const response = await ask('llmapi', right, { ...both, tool_choice: 'required' });
    expect(choicesOf(response)).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "Bern"}')] })]);
  });
});
