import { describe, expect, it } from 'vitest';
import type { Structure } from './contract.ts';
import { isGuideExact } from './guide-exactness.ts';

const nested = (schema: object) => ({
  type: 'object',
  properties: { a: { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] } } },
  required: ['a'],
  additionalProperties: false,
  $defs: { b: schema },
});

describe('a guide that is known to be kept to', () => {
  it.each<[Structure]>([
    [{ choice: ['ä', '一'] }],
    [{ json_object: true }],
    [{ regex: '[a-z]+\\d{2}(?:-|\\x2d)[^"]*' }],
    [{ json: {} }],
    [{ json: nested({ type: 'string', description: 'é', enum: ['ä'] }) }],
    [{ json: nested({ type: 'string', pattern: '^[a-z]+$' }) }],
    [{ json: nested({ type: 'integer', minimum: 1, maximum: 9 }) }],
    [{ json: nested({ const: { multipleOf: 2 }, default: { format: 'x' } }) }],
  ])('%j', (structure) => {
    expect(isGuideExact(structure)).toBe(true);
  });
});

describe('a guide whose responses are checked', () => {
  it.each<[Structure]>([
    [{ regex: '[一-龥]{3}' }],
    [{ regex: '\\d{2}[äöü]+é' }],
    [{ regex: '\\u00e9' }],
    [{ regex: '[\\xe0-\\xff]' }],
    [{ regex: '\\p{L}' }],
    ...[
      { type: 'integer', multipleOf: 3 },
      { type: 'string', format: 'date' },
      { type: 'object', minProperties: 1 },
      { type: 'string', pattern: '^[äöü]+$' },
      { type: 'string', pattern: '^a+$', maxLength: 3 },
      { type: 'number', minimum: 0.5 },
      { type: 'array', uniqueItems: true },
      { oneOf: [{ type: 'string' }] },
      { not: { type: 'string' } },
      { patternProperties: { '^a': {} } },
    ].map((schema): [Structure] => [{ json: nested(schema) }]),
  ])('%j', (structure) => {
    expect(isGuideExact(structure)).toBe(false);
  });
});
