import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from './schema-object.ts';

describe('jsonSchemaOf', () => {
  it('translates every keyword of a schema of Google', () => {
    const schema = {
      type: 'OBJECT',
      title: 'Trip',
      properties: {
        city: { type: 'STRING', minLength: '1', max_length: 64, example: 'Bern', pattern: '^[A-Z]' },
        days: { type: 'INTEGER', format: 'int32', nullable: true, minimum: 1 },
        kind: { type: 'STRING', format: 'enum', enum: ['work', 'rest'], nullable: true },
        stops: { type: 'ARRAY', items: { type: 'NUMBER' }, min_items: '1', maxItems: '3' },
        other: { anyOf: [{ type: 'BOOLEAN' }, { type: 'OBJECT', properties: {} }], nullable: true },
        any: { type: 'TYPE_UNSPECIFIED' },
      },
      propertyOrdering: ['kind', 'city', 'unknown'],
      required: ['city'],
    };
    const translated = jsonSchemaOf(schema);
    expect(translated).toEqual({
      type: 'object',
      title: 'Trip',
      properties: {
        kind: { type: ['string', 'null'], format: 'enum', enum: ['work', 'rest', null] },
        city: { type: 'string', minLength: 1, maxLength: 64, examples: ['Bern'], pattern: '^[A-Z]' },
        days: { type: ['integer', 'null'], format: 'int32', minimum: 1 },
        stops: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 },
        other: { anyOf: [{ type: 'boolean' }, { type: 'object', properties: {} }, { type: 'null' }] },
        any: {},
      },
      required: ['city'],
    });
    expect(Object.keys(translated['properties'] as object)).toEqual(['kind', 'city', 'days', 'stops', 'other', 'any']);
  });

  it('leaves a JSON schema as it is', () => {
    const schema = {
      type: 'object',
      properties: { any_of: { type: ['string', 'null'] }, b: { $ref: '#/$defs/b' } },
      additionalProperties: false,
      $defs: { b: { type: 'array', prefixItems: [{ const: 1 }], items: false } },
    };
    expect(jsonSchemaOf(schema)).toEqual(schema);
  });

  it('leaves wrong values for the check of the JSON schema', () => {
    const schema = { type: 7, properties: 'none', items: 'a', anyOf: {}, minItems: 'many' };
    expect(jsonSchemaOf(schema)).toEqual(schema);
  });
});
