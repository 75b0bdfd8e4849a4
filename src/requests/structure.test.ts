import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { structureFields, structureOf, structureOptionsOf } from './structure.ts';

const parse = (request: object) => structureOf(z.object(structureFields).parse(request));
const optionsOf = (request: object) => structureOptionsOf(z.object(structureFields).parse(request));

const legacyTag = { structures: [{ begin: '<a>', schema: { type: 'object' }, end: '</a>' }], triggers: ['<a>'] };
const tag = { format: { type: 'json_schema', json_schema: { type: 'string' } } };

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
    [{ structural_tag: legacyTag }, { field: 'structural_tag', structure: { structural_tag: legacyTag } }],
    [{ structural_tag: JSON.stringify(tag) }, { field: 'structural_tag', structure: { structural_tag: tag } }],
    [
      { structured_outputs: { structural_tag: tag } },
      { field: 'structured_outputs', structure: { structural_tag: tag } },
    ],
    [
      { response_format: { type: 'structural_tag', ...legacyTag } },
      { field: 'response_format', structure: { structural_tag: { type: 'structural_tag', ...legacyTag } } },
    ],
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

  it.each([
    ['not JSON', 'structural_tag: must be a structural tag object, or one as a JSON string.'],
    [{}, 'structural_tag: must have a format, or structures and triggers.'],
    [{ structures: [] }, 'structural_tag: must have a format, or structures and triggers.'],
    [
      { structures: [{ begin: '', schema: { type: 5 }, end: '' }], triggers: [] },
      'structural_tag.structures[0].schema.type: ',
    ],
    [{ format: { type: 'regex', pattern: '(' } }, 'structural_tag.format.pattern: is not a valid regular expression.'],
  ])('refuses the structural tag %j', (value, message) => {
    expect(() => parse({ structural_tag: value })).toThrow(message);
  });

  it('refuses a structural tag beyond the limits of a schema', () => {
    expect(() => parse({ structural_tag: { format: { content: 'x'.repeat(600_000) } } })).toThrow(
      'structural_tag: is larger than 524288 characters of JSON.',
    );
  });
});

describe('structureOptionsOf', () => {
  const all = {
    json: {},
    whitespace_pattern: '[ ]?',
    disable_any_whitespace: true,
    disable_additional_properties: true,
  };

  it.each([
    [{}, undefined],
    [{ structured_outputs: { json: {}, disable_any_whitespace: false, whitespace_pattern: null } }, undefined],
    [
      { guided_json: {}, guided_whitespace_pattern: ' *' },
      { field: 'guided_whitespace_pattern', options: { whitespacePattern: ' *' } },
    ],
    [
      { structured_outputs: all },
      {
        field: 'structured_outputs.whitespace_pattern',
        options: { whitespacePattern: '[ ]?', disableAnyWhitespace: true, disableAdditionalProperties: true },
      },
    ],
    [
      { structured_outputs: { json: {}, disable_additional_properties: true } },
      { field: 'structured_outputs.disable_additional_properties', options: { disableAdditionalProperties: true } },
    ],
  ])('reads %j', (request, expected) => {
    expect(optionsOf(request)).toEqual(expected);
  });

  it('refuses an invalid pattern', () => {
    expect(() => optionsOf({ guided_whitespace_pattern: '(' })).toThrow(
      'guided_whitespace_pattern: is not a valid regular expression.',
    );
  });
});
