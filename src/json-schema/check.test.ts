import { describe, expect, it } from 'vitest';
import { bestCost } from '../../test/support/cpu-cost.ts';
import { ApiError } from '../errors.ts';
import { checkSchema } from './check.ts';

const field = 'f';

/** What is said of a schema: the place and the reason, or nothing. */
function errorOf(schema: object, knows?: (keyword: string) => boolean): string | undefined {
  try {
    checkSchema(schema as Record<string, unknown>, field, knows ? { knows } : {});
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 400 && error.message.startsWith(`${error.param}: `) ? error.message : 'not a proper 400';
  }
}

/** A schema with lists in lists: so many braces and brackets. */
function nested(levels: number): object {
  let schema: object = {};
  for (let level = 1; level < levels; level++) schema = { items: schema };
  return schema;
}

describe('checkSchema', () => {
  it.each<object>([
    {},
    { type: ['string', 'null'], minLength: 1, maxLength: 1, pattern: '^[a-z]{1,8}$', format: 'date' },
    { type: 'object', properties: { type: { type: 'number' }, $ref: true, enum: false }, required: ['type'] },
    {
      $defs: { 'a/b%': { type: 'null' } },
      anyOf: [{ $ref: '#/$defs/a~1b%25' }],
    },
    { properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
    { components: { x: { type: 'string' } }, items: { $ref: '#/components/x' } },
    { items: [{ type: 'string' }], additionalItems: false, uniqueItems: true, minItems: 0, maxItems: 9 },
    { enum: [null, 1, 'a', {}], const: { type: 'banana' }, default: { type: 'banana' }, 'x-of-ours': [{ type: 5 }] },
    JSON.parse('{"if": {}, "then": {}, "else": {}}') as object,
    { not: false, dependentRequired: { a: ['b'] }, patternProperties: { '^a': {} } },
    { pattern: String.raw`\p{L}\-(?<name>a)` },
    nested(64),
  ])('admits %j', (schema) => {
    expect(errorOf(schema)).toBeUndefined();
  });

  it.each<[object, string]>([
    [
      { type: 'banana' },
      'f.type: must be one of string, number, integer, boolean, object, array, null, or an array of them.',
    ],
    [{ type: [] }, 'f.type: must be one of'],
    [{ properties: [] }, 'f.properties: must be an object whose values are schemas.'],
    [{ properties: { x: { type: 1 } } }, 'f.properties.x.type: must be'],
    [{ properties: { x: 'string' } }, 'f.properties.x: must be a schema: an object, true or false.'],
    [{ items: { anyOf: [{}, { required: ['a', 1] }] } }, 'f.items.anyOf[1].required: must be an array of strings.'],
    [{ required: 'a' }, 'f.required: must be an array of strings.'],
    [{ enum: [] }, 'f.enum: must be an array with at least one value.'],
    [{ oneOf: [] }, 'f.oneOf: must be an array with at least one schema.'],
    [{ pattern: '(' }, 'f.pattern: is not a valid regular expression.'],
    [{ pattern: 'a'.repeat(5000) }, 'f.pattern: is longer than 4096 characters.'],
    [{ pattern: '((a{100}){100}){100}' }, 'f.pattern: repeats too much'],
    [{ patternProperties: { '[': {} } }, 'f.patternProperties.[: is not a valid regular expression.'],
    [{ minItems: 2, maxItems: 1 }, 'f.minItems: must not be more than maxItems.'],
    [{ minimum: 1.5, maximum: 1 }, 'f.minimum: must not be more than maximum.'],
    [{ maxLength: -1 }, 'f.maxLength: must be an integer of at least 0.'],
    [{ minimum: '1' }, 'f.minimum: must be a number.'],
    [{ multipleOf: 0 }, 'f.multipleOf: must be a number above 0.'],
    [{ uniqueItems: 'yes' }, 'f.uniqueItems: must be true or false.'],
    [{ $ref: 5 }, 'f.$ref: must be a string.'],
    [
      { items: { $ref: '#/$defs/a' } },
      'f.items.$ref: must refer to a schema in this document, for example #/$defs/name.',
    ],
    [{ $ref: 'https://example.com/schema' }, 'f.$ref: must refer to a schema in this document'],
    [{ $ref: '#/constructor' }, 'f.$ref: must refer to a schema in this document'],
    [{ $ref: '#/__proto__' }, 'f.$ref: must refer to a schema in this document'],
    [{ $ref: '#/%' }, 'f.$ref: must refer to a schema in this document'],
    [{ components: { x: { type: 5 } }, items: { $ref: '#/components/x' } }, 'f.items.$ref.type: must be'],
    [{ $ref: '#' }, 'f.$ref: must not refer to itself.'],
    [{ $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }, 'must not refer to itself.'],
    [nested(65), `f${'.items'.repeat(64)}: is nested deeper than 64 levels.`],
    [{ default: JSON.parse('['.repeat(100) + ']'.repeat(100)) }, 'is nested deeper than 64 levels.'],
    [{ description: 'x'.repeat(2 ** 20) }, 'f: is larger than 524288 characters of JSON.'],
    [{ enum: Array.from({ length: 2 ** 19 }, () => 1) }, 'f: is larger than 524288 characters of JSON.'],
    [{ anyOf: Array.from({ length: 10_001 }, () => ({})) }, 'f: has more than 10000 objects and arrays.'],
  ])('refuses a schema that is none, and one beyond the limits: %#', (schema, error) => {
    expect(errorOf(schema)).toContain(error);
  });

  it('cuts long names in what it says', () => {
    expect(errorOf({ properties: { ['x'.repeat(1000)]: 5 } })?.length).toBeLessThan(200);
  });

  it('rejects unsupported keywords by name', () => {
    const knows = (keyword: string) => keyword !== 'unevaluatedItems';
    expect(errorOf({ items: { unevaluatedItems: false } }, knows)).toBe(
      'f.items.unevaluatedItems: this keyword is not supported: responses cannot be checked against it.',
    );
    expect(errorOf({ properties: { unevaluatedItems: {} } }, knows)).toBeUndefined();
  });
});

describe('the work of checkSchema', () => {
  const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
    Array.from({ length: count }, (_, at) => make(at));
  const chain = Object.fromEntries(many(9000, (at) => [`a${at}`, at < 8999 ? { $ref: `#/$defs/a${at + 1}` } : {}]));

  it.each<[string, object]>([
    ['properties', { properties: Object.fromEntries(many(9000, (at) => [`p${at}`, { type: 'string' }])) }],
    ['references to one place', { $defs: { a: {} }, anyOf: many(9000, () => ({ $ref: '#/$defs/a' })) }],
    ['a chain of references', { $defs: chain, $ref: '#/$defs/a0' }],
    ['groups in patterns', { anyOf: many(120, () => ({ pattern: '('.repeat(2000) + ')'.repeat(2000) })) }],
    ['repetitions in patterns', { anyOf: many(120, (at) => ({ pattern: `${'a{1}'.repeat(1000)}${at}` })) }],
    ['classes in patterns', { anyOf: many(100, (at) => ({ pattern: `${String.raw`\p{L}`.repeat(800)}${at}` })) }],
    ['patterns that would run for ever', { anyOf: many(9000, (at) => ({ pattern: `(a+)+${at}$` })) }],
    ['a list', { enum: many(200_000, () => 1) }],
    ['depth beyond any stack', { default: JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) }],
    ['fifty times the size', { enum: many(10_000_000, () => 1) }],
  ])('is bounded for %s', (_, schema) => {
    // It blocks the event loop as long as this, so that is what is measured; in CPU time, as the machine is shared.
    expect(bestCost(() => errorOf(schema))).toBeLessThan(20 * referenceCost());
  });

  /** What it takes to read and write half a megabyte of JSON. */
  function referenceCost(): number {
    const text = JSON.stringify(many(40_000, (at) => ({ a: at })));
    return bestCost(() => JSON.stringify(JSON.parse(text)));
  }
});

describe('checkSchema on nonsense', () => {
  it('neither throws anything else nor loops', () => {
    const random = generator(7);
    const keywords = ['type', 'properties', 'items', 'anyOf', '$ref', 'enum', 'required', 'pattern', 'minItems', 'not'];
    const value = (depth: number): unknown => {
      const kind = random(depth > 6 ? 6 : 9);
      if (kind < 6) return [null, true, random(5) - 2, 'string', '#', '#/properties/a'][kind];
      if (kind === 6) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(5) }, () => [
          random(3) ? keywords[random(keywords.length)] : 'a',
          value(depth + 1),
        ]),
      );
    };
    let admitted = 0;
    for (let round = 0; round < 5000; round++) {
      const schema = { [keywords[random(keywords.length)] ?? 'type']: value(0), a: value(0) };
      if (errorOf(schema) === undefined) admitted++;
    }
    expect(admitted).toBeGreaterThan(100);
  });
});

/** Numbers below a limit, the same in every run. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
