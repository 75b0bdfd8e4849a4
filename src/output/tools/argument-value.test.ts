import { describe, expect, it } from 'vitest';
import { run } from '../../../test/support/tool-recording.ts';
import { glm45 } from './glm45.ts';
import { llama4Pythonic, pythonic } from './pythonic.ts';
import type { ToolFormat } from './tool-parser.ts';

const $defs = { 'a/b': { enum: ['a', 'b'] }, itself: { anyOf: [{ $ref: '#/$defs/itself' }, { type: 'string' }] } };

/** The JSON that a value becomes for a parameter of this schema. */
function written(format: ToolFormat, text: string, schema: unknown, mostHeld = 200): string {
  const tools = [
    { name: 'f', parameters: { type: 'object', properties: { p: schema, text: { type: 'string' } }, $defs } },
  ];
  const results = [[text], text.split('')].map((pieces) => run(format.parser({ tools, mostHeld }), pieces));
  expect(results[1]).toEqual(results[0]);
  const [call] = results[0] ?? [];
  if (!call || 'text' in call) throw new Error(`No call: ${JSON.stringify(call)}`);
  return call.arguments.slice('{"p": '.length, -1);
}

const tagged = (value: string, schema: unknown, mostHeld?: number) =>
  written(glm45, `<tool_call>f<arg_key>p</arg_key><arg_value>${value}</arg_value></tool_call>`, schema, mostHeld);

describe('a value between tags', () => {
  it.each([
    ['5', { type: 'string' }, '"5"'],
    ['"5"', { type: 'string' }, '"\\"5\\""'],
    ['', { type: 'string' }, '""'],
    ['5', { type: 'integer' }, '5'],
    [' 5.5\n', { type: 'number' }, '5.5'],
    ['five', { type: 'integer' }, '"five"'],
    ['', { type: 'integer' }, '""'],
    ['true', { type: 'boolean' }, 'true'],
    ['False', { type: 'boolean' }, 'false'],
    ['None', { type: ['string', 'null'] }, 'null'],
    ['5', { type: ['string', 'null'] }, '"5"'],
    ['5', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, '5'],
    ['"a"', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, '"\\"a\\""'],
    ['a', { enum: ['a', 'b'] }, '"a"'],
    ['1', { enum: [1, 2] }, '1'],
    ['{"a": [1, 2]}', { type: 'object' }, '{"a": [1, 2]}'],
    ["{'x': True, 'y': {1: None}}", { type: 'object' }, '{"x": true, "y": {"1": null}}'],
    ["['a', 'b\\'s']", { type: 'array' }, '["a", "b\'s"]'],
    ["['a']", { type: ['string', 'array'] }, '["a"]'],
    ["['a'", { type: 'array' }, '"[\'a\'"'],
    ["['a'] and more", { type: 'array' }, '"[\'a\'] and more"'],
    ["{'a': 1}", { type: 'array' }, '"{\'a\': 1}"'],
    ["['a']", undefined, '"[\'a\']"'],
    ['12345', { $ref: '#/properties/text' }, '"12345"'],
    ['12345', { allOf: [{ description: 'A code.' }, { $ref: '#/$defs/a~1b' }] }, '"12345"'],
    ['12345', { anyOf: [{ $ref: '#/properties/text' }, { type: 'null' }] }, '"12345"'],
    ['null', { anyOf: [{ $ref: '#/properties/text' }, { type: 'null' }] }, 'null'],
    ['5', { const: 'five' }, '"5"'],
    ['5', { $ref: '#/$defs/itself' }, '5'],
    ['5', { $ref: 'https://example.com/text' }, '5'],
    ['[1,\n 2]', { $ref: '#/$defs/list' }, '[1,\n 2]'],
    ['Paris is nice', undefined, '"Paris is nice"'],
    ['5', undefined, '5'],
    ['null and void', undefined, '"null and void"'],
    ['😀 ü \u2028 "', { type: 'string' }, '"😀 ü \u2028 \\""'],
  ])('%j for %j is %s', (value, schema, json) => {
    expect(tagged(value, schema)).toBe(json);
  });

  it('is streamed as what it looks like when it gets too long', () => {
    const long = `[${'1,'.repeat(300)}2]`;
    expect(tagged(long, { type: 'array' })).toBe(long);
    expect(tagged('t'.repeat(500), undefined)).toBe(`"${'t'.repeat(500)}"`);
  });
});

it('follows references only so far', () => {
  const links = Array.from({ length: 20_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]);
  const parameters = { properties: { p: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(links) };
  const parser = glm45.parser({ tools: [{ name: 'f', parameters }], mostHeld: 200 });
  expect(run(parser, ['<tool_call>f<arg_key>p</arg_key><arg_value>5</arg_value></tool_call>'])).toEqual([
    { call: 'f', arguments: '{"p": 5}', isComplete: true },
  ]);
});

describe('a Python value', () => {
  const python = (value: string, schema?: unknown) => written(pythonic, `[f(p=${value})]`, schema);

  it.each([
    ["'a'", '"a"'],
    ['"it\'s"', '"it\'s"'],
    ["'a\\n\\t\\'\\\\\\x41\\u00fc\\U0001F600\\q'", '"a\\n\\t\'\\\\Aü😀\\\\q"'],
    ["''", '""'],
    ['"""a "b" c\nd"""', '"a \\"b\\" c\\nd"'],
    ['1_000', '1000'],
    ['-.5', '-0.5'],
    ['2.', '2.0'],
    ['+3e5', '3e5'],
    ['007', '7'],
    ['True', 'true'],
    ['None', 'null'],
    ['[]', '[]'],
    ['[1, [2, "x"], (3, 4,), ]', '[1, [2, "x"], [3, 4]]'],
    ["{'a': {'b': [None]}, 1: False, \"c\" : {}}", '{"a": {"b": [null]}, "1": false, "c": {}}'],
    ["'5'", '"5"'],
  ])('%s is %s', (value, json) => {
    expect(python(value)).toBe(json);
  });

  it('has the type that the schema asks for, also in quotes', () => {
    expect(python("'5'", { type: 'integer' })).toBe('5');
    expect(python("'5'", { type: 'string' })).toBe('"5"');
    expect(python("'True'", { type: 'boolean' })).toBe('true');
    expect(python("'Paris'", { type: 'integer' })).toBe('"Paris"');
    expect(written(llama4Pythonic, '[f(p="[1, 2]")]', { type: 'array' })).toBe('[1, 2]');
  });

  it('may be nested without bound', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(python(deep)).toBe(deep);
  });

  it('keeps what is no literal in the arguments', () => {
    const tools = [{ name: 'f', parameters: undefined }];
    const parse = (text: string) => run(pythonic.parser({ tools, mostHeld: 200 }), text.split(''));
    expect(parse('[f(p=a + b)] done')).toEqual([{ call: 'f', arguments: '{"p": a + b)] done', isComplete: true }]);
    expect(parse('[f(p=[1, {2}])]')).toEqual([{ call: 'f', arguments: '{"p": [1, {"2"}])]', isComplete: true }]);
    expect(parse('[f(p=1, 2)]')).toEqual([{ call: 'f', arguments: '{"p": 1, 2)]', isComplete: true }]);
  });
});
