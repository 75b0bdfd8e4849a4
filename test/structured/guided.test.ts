import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receivedFor, textsOf, user } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';
import { scrape, valuesOf } from '../telemetry/scrape.ts';

const patience = 180_000;
const raw = String.raw;
const model = 'vllm-toy';

let conch: Conch;
let refusing: Conch;
beforeAll(async () => {
  [conch, refusing] = await Promise.all([startGateway(), startGateway()]);
}, patience);
afterAll(() => Promise.all([conch.stop(), refusing.stop()]));

const chatPath = '/v1/chat/completions';
const schemaWith = (property: object) => ({ type: 'object', properties: { a: property } });
const format = (schema: object) => ({ type: 'json_schema', json_schema: { name: 's', schema } });
const weather = (parameters: object) => ({
  tools: [
    { type: 'function', function: { name: 'ping' } },
    { type: 'function', function: { name: 'f', parameters } },
  ],
});

/** The structure that the backend is sent. */
async function sentWith(fields: object): Promise<unknown> {
  const body = { model, prompt: directive({ echo_parameters: true }), ...fields };
  const [received] = receivedFor(await post(`${conch.url}/v1/completions`, body));
  return JSON.parse(received?.sampling_parameters['structured_outputs'] as string);
}

describe('a structure for the vLLM backend', () => {
  it('is sent in what xgrammar and llguidance share', async () => {
    expect(await sentWith({ guided_choice: ['a\nb', 'c\r', '"ä"'] })).toEqual({
      regex: raw`a\u000ab|c\u000d|\u0022ä\u0022`,
    });
    expect(await sentWith({ guided_regex: raw`(?P<day>\d{2})\.` })).toEqual({ regex: raw`[0-9]{2}\u002e` });
    expect(await sentWith({ structured_outputs: { choice: ['x'] } })).toEqual({ regex: 'x' });
    expect(await sentWith({ response_format: { type: 'json_object' } })).toEqual({ json_object: true });
    expect(await sentWith({ guided_json: schemaWith({ type: 'integer', multipleOf: 5 }) })).toEqual({
      json: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false },
    });
    expect(
      await sentWith({ response_format: format(schemaWith({ type: 'string', pattern: raw`^\w+$`, title: 't' })) }),
    ).toEqual({
      json: {
        type: 'object',
        properties: { a: { type: 'string', pattern: raw`^(?:[0-9A-Z\u005fa-z]+)$` } },
        additionalProperties: false,
      },
    });
  });

  it('may have choices of any characters', async () => {
    const choices = ['one\ntwo', '\t"\\', 'ä一😀'];
    const texts = await Promise.all(
      choices.map(async (_, seed) =>
        textsOf(await post(conch.url + chatPath, { model, messages: user('x'), guided_choice: choices, seed })),
      ),
    );
    expect(texts.flat()).toEqual(choices);
  });
});

const lookAhead = 'look-ahead "(?=" is not supported (position 1). ';
const unicode = raw`the Unicode class "\p{…}" is not supported (position 1). `;
const unsupported = 'this keyword is not supported: ';
const letters = schemaWith({ type: 'string', pattern: raw`^\p{L}+$` });

type Refusal = readonly [path: string, fields: object, param: string, message: string];

/** Requests that a backend would refuse, or that would end its engine. */
const refusals: readonly Refusal[] = [
  [chatPath, { guided_choice: ['a', 'b\0'] }, 'guided_choice[1]', 'must not contain the NUL character.'],
  [chatPath, { guided_regex: 'a(?=b)' }, 'guided_regex', lookAhead],
  [
    chatPath,
    { guided_regex: raw`(a)\1` },
    'guided_regex',
    raw`the back-reference "\1" is not supported (position 3). `,
  ],
  [chatPath, { guided_regex: raw`a\b` }, 'guided_regex', raw`the word boundary "\b" is not supported (position 1). `],
  [chatPath, { guided_regex: 'a[]' }, 'guided_regex', 'the empty class "[]" is not supported (position 1). '],
  [chatPath, { guided_regex: raw`(?<x>a)\k<x>` }, 'guided_regex', raw`the back-reference "\k" is not supported (pos`],
  [chatPath, { guided_regex: raw`a\p{L}` }, 'guided_regex', unicode],
  [chatPath, { structured_outputs: { regex: 'a(?=b)' } }, 'structured_outputs.regex', lookAhead],
  [chatPath, { structured_outputs: { choice: ['\0'] } }, 'structured_outputs.choice[0]', 'must not contain the NUL'],
  [chatPath, { guided_json: { type: 'array', uniqueItems: true } }, 'guided_json.uniqueItems', unsupported],
  [
    chatPath,
    { structured_outputs: { json: schemaWith({ not: {} }) } },
    'structured_outputs.json.properties.a.not',
    unsupported,
  ],
  [chatPath, { response_format: format(letters) }, 'response_format.json_schema.schema.properties.a.pattern', unicode],
  [
    chatPath,
    { ...weather(letters), tool_choice: 'required' },
    'tools[1].function.parameters.properties.a.pattern',
    unicode,
  ],
  [
    chatPath,
    { ...weather(letters), tool_choice: { type: 'function', function: { name: 'f' } } },
    'tools[1].function.parameters.properties.a.pattern',
    unicode,
  ],
  ['/v1/completions', { prompt: 'x', guided_regex: 'a(?=b)' }, 'guided_regex', lookAhead],
  [
    '/v1/completions',
    { prompt: 'x', guided_json: schemaWith({ contains: {} }) },
    'guided_json.properties.a.contains',
    unsupported,
  ],
  [
    '/v1/responses',
    { input: 'x', text: { format: { type: 'json_schema', name: 's', schema: letters } } },
    'text.format.schema.properties.a.pattern',
    unicode,
  ],
  [
    '/v1/responses',
    { input: 'x', tools: [{ type: 'function', name: 'f', parameters: letters }], tool_choice: 'required' },
    'tools[0].parameters.properties.a.pattern',
    unicode,
  ],
];

describe('what the libraries of the backend do not share', () => {
  it.each(refusals)('%s %j is a 400 that names %s', async (path, fields, param, message) => {
    const { status, body } = await post(refusing.url + path, {
      model,
      ...(path === chatPath ? { messages: user('x') } : {}),
      ...fields,
    });
    const { message: text, ...error } = body.error as { message: string };
    expect({ status, error, text: text.slice(0, param.length + 2 + message.length) }).toEqual({
      status: 400,
      error: { type: 'invalid_request_error', param, code: 'invalid_request' },
      text: `${param}: ${message}`,
    });
  });

  it("is a 400 in Anthropic's and Ollama's APIs too", async () => {
    const schemaLocation = 'output_config.format.schema.properties.a.pattern';
    const requested = { model, max_tokens: 9, messages: user('x') };
    const message = await post(`${refusing.url}/v1/messages`, {
      ...requested,
      output_config: { format: { type: 'json_schema', schema: letters } },
    });
    const call = await post(`${refusing.url}/v1/messages`, {
      ...requested,
      tools: [{ name: 'f', input_schema: letters }],
      tool_choice: { type: 'any' },
    });
    const ollama = await post(`${refusing.url}/api/chat`, { model, messages: user('x'), format: letters });
    const said = [message.body.error?.['message'], call.body.error?.['message'], ollama.body.error];
    expect([message.status, call.status, ollama.status]).toEqual([400, 400, 400]);
    expect(said).toEqual([
      expect.stringContaining(`${schemaLocation}: ${unicode}`),
      expect.stringContaining(`tools[0].input_schema.properties.a.pattern: ${unicode}`),
      expect.stringContaining(`format.properties.a.pattern: ${unicode}`),
    ]);
  });

  it('costs no inference', async () => {
    expect(valuesOf(await scrape(refusing.url), 'conch_inferences_total')).toEqual({});
  });
});
