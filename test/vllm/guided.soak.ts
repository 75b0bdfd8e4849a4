import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { type RealVllm, startRealVllm } from '../support/real-vllm.ts';
import { chat, contentOf, noProbes, patience, startOverVllm } from './over-vllm.ts';

const raw = String.raw;
/** How an engine comes to its library: the first guide decides where model.json names none. */
const engines = [
  { name: 'xgrammar by its first guide', engineArguments: {}, first: { choice: ['a', 'b'] } },
  { name: 'llguidance by its first guide', engineArguments: {}, first: { regex: raw`\p{L}` } },
  {
    name: 'xgrammar by model.json',
    engineArguments: { structured_outputs_config: { backend: 'xgrammar', disable_any_whitespace: true } },
    first: { choice: ['a', 'b'] },
  },
];

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const format = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', strict: true, schema } },
});

/** Guides whose responses are checked here by code of another kind. */
const guides: readonly [fields: object, isValid: (text: string) => boolean][] = [
  [{ guided_choice: ['red', 'green'] }, (text) => ['red', 'green'].includes(text)],
  [{ guided_choice: ['"quoted"', raw`back\slash`] }, (text) => ['"quoted"', raw`back\slash`].includes(text)],
  [{ guided_choice: ['zwölf', '一二三', '😀'] }, (text) => ['zwölf', '一二三', '😀'].includes(text)],
  [{ guided_choice: ['one\ntwo', 'three\tfour'] }, (text) => ['one\ntwo', 'three\tfour'].includes(text)],
  [{ guided_regex: '[a-z]{3}-[0-9]{2}' }, (text) => /^[a-z]{3}-[0-9]{2}$/.test(text)],
  [{ guided_regex: raw`(?<year>\d{4})/\d\d` }, (text) => /^\d{4}\/\d\d$/.test(text)],
  [{ guided_regex: '[äöü]{3}' }, (text) => /^[äöü]{3}$/.test(text)],
  [{ guided_grammar: 'root ::= "yes" | "no" ' }, (text) => ['yes', 'no'].includes(text)],
  [format(object({ size: { type: 'integer', minimum: 3, maximum: 7 } })), (text) => isBetween(text, 3, 7)],
  [
    format(object({ code: { type: 'string', pattern: '^[A-Z]{2}[0-9]{2}$' } })),
    (text) => /^[A-Z]{2}[0-9]{2}$/.test((JSON.parse(text) as { code: string }).code),
  ],
  [
    format(object({ colour: { enum: ['red', 'green'] }, sure: { type: 'boolean' } })),
    (text) => ['red', 'green'].includes((JSON.parse(text) as { colour: string }).colour),
  ],
];

function isBetween(text: string, least: number, most: number): boolean {
  const { size } = JSON.parse(text) as { size: number };
  return Number.isInteger(size) && size >= least && size <= most;
}

/** What some library refuses, with the field that the 400 names. */
const refusals: readonly [fields: object, param: string][] = [
  [{ guided_regex: 'a(?=b)' }, 'guided_regex'],
  [{ guided_regex: raw`(a)\1` }, 'guided_regex'],
  [{ guided_regex: raw`\bfoo\b` }, 'guided_regex'],
  [{ guided_regex: 'a[]' }, 'guided_regex'],
  [{ guided_regex: raw`(?<x>a)\k<x>` }, 'guided_regex'],
  [{ guided_grammar: 'begin ::= "yes"' }, 'guided_grammar'],
  [{ guided_grammar: 'root ::= missing' }, 'guided_grammar'],
  [
    format({ type: 'array', items: { type: 'integer' }, uniqueItems: true }),
    'response_format.json_schema.schema.uniqueItems',
  ],
  [{ bad_words: [' '] }, 'bad_words'],
];

describe.each(engines)('$name', ({ engineArguments, first }) => {
  let server: RealVllm;
  let conch: Conch;

  beforeAll(async () => {
    server = await startRealVllm({ engineArguments });
    await server.begin(first);
    conch = await startOverVllm([server], noProbes);
  }, patience);

  afterAll(async () => {
    await conch?.stop();
    await server?.stop();
  }, patience);

  it.each(guides)('follows %j', async (fields, isValid) => {
    const text = contentOf(await chat(conch, { ...fields, max_tokens: 60 }));
    expect(text).toSatisfy(isValid);
  });

  it('never passes off a response that breaks an inexact guide as right', async () => {
    const response = await chat(conch, { guided_regex: '[一-龥]{2}', max_tokens: 60 });
    // A model of this size often writes no Chinese, in which case each try fails.
    const outcome =
      response.status === 200 ? contentOf(response) : `${response.status} ${String(response.body.error?.['code'])}`;
    expect(outcome).toMatch(/^(?:[一-龥]{2}|502 structured_output_invalid)$/);
  });

  it.each(refusals)('refuses %j and names %s', async (fields, param) => {
    const before = await server.inferences();
    const { status, body } = await chat(conch, fields);
    const named = String(body.error?.['param']);
    expect({ status, names: named.startsWith(param) ? param : named, code: body.error?.['code'] }).toEqual({
      status: 400,
      names: param,
      code: 'invalid_request',
    });
    expect((await server.inferences()) - before).toBeLessThanOrEqual(1);
  });

  it('serves guided and other requests at once, with its first engine', async () => {
    const requested = Array.from({ length: 8 }, (_, at) =>
      chat(conch, at % 2 === 0 ? { guided_regex: '[a-z]{20}' } : { max_tokens: 20 }),
    );
    expect((await Promise.all(requested)).map(({ status }) => status)).toEqual(requested.map(() => 200));
    expect(server.engines()).toHaveLength(1);
    expect(server.log()).not.toContain('EngineDeadError');
  });
});
