import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { structureFields, structureOf } from './structure.ts';

const parse = (request: object) => structureOf(z.object(structureFields).parse(request));

describe('structureOf', () => {
  it.each([
    [{}, undefined],
    [{ response_format: null, guided_json: null }, undefined],
    [{ response_format: { type: 'text' } }, undefined],
    [{ response_format: { type: 'json_object' } }, { field: 'response_format', structure: { json_object: true } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'string' } } } },
      { field: 'response_format', structure: { json: { type: 'string' } } },
    ],
    [{ guided_json: '{"type":"null"}' }, { field: 'guided_json', structure: { json: { type: 'null' } } }],
    [{ structured_outputs: { choice: ['a'] } }, { field: 'structured_outputs', structure: { choice: ['a'] } }],
    [{ structured_outputs: { json: '{}' } }, { field: 'structured_outputs', structure: { json: {} } }],
  ])('reads %j', (request, expected) => {
    expect(parse(request)).toEqual(expected);
  });

  it('refuses two forms at once, naming the second', () => {
    expect(() => parse({ response_format: { type: 'json_object' }, guided_regex: 'a' })).toThrow(
      'guided_regex: cannot be combined with response_format. Send only one of them.',
    );
  });

  it('refuses a text that is no schema', () => {
    expect(() => parse({ guided_json: '[1]' })).toThrow(
      'guided_json: must be a JSON schema object, or one as a JSON string.',
    );
  });
});
