import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { checkSchema } from './check.ts';
import { isJudged, validate } from './validate.ts';

type Json = Record<string, unknown>;

const node = {
  type: 'object',
  properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['next'],
};

/** A schema, values that are valid by it, and values that are not with what is said of them. */
const cases: readonly [Json, unknown[], [unknown, string][]][] = [
  [{}, [null, 1, 'a', [], {}], []],
  [
    { type: 'integer' },
    [1, 1.0, -3],
    [
      [1.5, '$ must be of type integer'],
      ['1', '$ must be of type integer'],
    ],
  ],
  [
    { type: ['string', 'null'] },
    ['a', null],
    [
      [1, '$ must be of type string or null'],
      [[], '$ must be of type'],
    ],
  ],
  [{ type: 'number' }, [1, 1.5], [[true, '$ must be of type number']]],
  [
    { type: 'object' },
    [{}],
    [
      [[], '$ must be of type object'],
      [null, '$ must be of type object'],
    ],
  ],
  [
    { enum: [1, 'a', { b: [1, 2], c: null }] },
    [1, 'a', { c: null, b: [1, 2] }],
    [[{ b: [2, 1], c: null }, '$ must be one of']],
  ],
  [
    { const: { a: 1 } },
    [{ a: 1 }],
    [
      [{ a: 2 }, '$ must be {"a":1}'],
      [{}, '$ must be {"a":1}'],
    ],
  ],
  [
    { minimum: 1, exclusiveMaximum: 2 },
    [1, 1.99, 'a'],
    [
      [0.5, '$ must be 1 or more'],
      [2, '$ must be less than 2'],
    ],
  ],
  [
    { maximum: 3, exclusiveMinimum: 1 },
    [3],
    [
      [3.1, '$ must be at most 3'],
      [1, '$ must be more than 1'],
    ],
  ],
  [{ multipleOf: 0.1 }, [0.3, 0, -2], [[0.35, '$ must be a multiple of 0.1']]],
  [
    { minLength: 2, maxLength: 3 },
    ['ab', '👩‍a'.slice(0, 3), '🐚🐚'],
    [
      ['🐚', '$ must have 2 characters or more'],
      ['abcd', '$ must have at most 3'],
    ],
  ],
  [{ pattern: '^[a-z]+$' }, ['abc', 5], [['aB', '$ must match the pattern "^[a-z]+$"']]],
  [{ pattern: String.raw`^\p{Lu}` }, ['Élan'], [['élan', '$ must match']]],
  [
    { items: { type: 'string' }, minItems: 1, maxItems: 2 },
    [['a'], 5],
    [
      [[], '$ must have at least 1 items'],
      [['a', 'b', 'c'], '$ must have at most 2'],
      [['a', 1], '$[1] must be of type string'],
    ],
  ],
  [
    { prefixItems: [{ type: 'string' }], items: false },
    [[], ['a']],
    [
      [['a', 1], '$[1] is not allowed'],
      [[1], '$[0] must be'],
    ],
  ],
  [
    { items: [{ type: 'string' }], additionalItems: { type: 'null' } },
    [['a', null]],
    [[['a', 1], '$[1] must be of type null']],
  ],
  [
    { uniqueItems: true },
    [[1, '1', [1], { a: 1, b: 2 }]],
    [
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        '$ must not contain an item twice',
      ],
    ],
  ],
  [
    { contains: { type: 'null' }, maxContains: 1 },
    [[1, null]],
    [
      [[1], '$ has 0 items that match contains'],
      [[null, null], '$ has 2 items that match contains'],
    ],
  ],
  [
    { properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    [{ a: 'x' }],
    [
      [{}, '$ must have the property "a"'],
      [{ a: 1 }, '$.a must be of type string'],
      [{ a: 'x', b: 1 }, '$.b is not allowed'],
    ],
  ],
  [{ required: ['toString'] }, [{ toString: 1 }], [[{}, '$ must have the property "toString"']]],
  [
    { properties: {}, additionalProperties: { type: 'null' } },
    [{ a: null }],
    [[{ constructor: 1 }, '$.constructor must be']],
  ],
  [
    { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false },
    [{ n_a: 1 }],
    [
      [{ n_a: '' }, '$.n_a must be'],
      [{ a: 1 }, '$.a is not allowed'],
    ],
  ],
  [
    { propertyNames: { maxLength: 1 }, minProperties: 1, maxProperties: 2 },
    [{ a: 1 }],
    [
      [{}, '$ must have 1 properties'],
      [{ ab: 1 }, 'the name of $.ab must'],
      [{ a: 1, b: 1, c: 1 }, '$ must have at most 2'],
    ],
  ],
  [
    { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
    [{ b: 1 }, { a: 1, b: 1 }],
    [
      [{ a: 1 }, '$ must have the property "b"'],
      [{ c: 1 }, '$ must have the property "d"'],
    ],
  ],
  [
    { anyOf: [{ type: 'string' }, { minimum: 5 }] },
    ['a', 5],
    [[4, '$ must match at least one of the schemas in anyOf']],
  ],
  [
    { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
    [2, 3],
    [
      [6, '$ must match exactly one'],
      [5, '$ must match exactly one'],
    ],
  ],
  [
    { allOf: [{ minimum: 1 }, { maximum: 2 }], not: { const: 1.5 } },
    [1],
    [
      [0, '$ must be 1 or more'],
      [1.5, '$ is not allowed'],
    ],
  ],
  [
    JSON.parse('{"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "null"}}') as Json,
    ['a', null],
    [
      ['', '$ must have 1'],
      [1, '$ must be of type null'],
    ],
  ],
  [
    { $defs: { node }, $ref: '#/$defs/node' },
    [{ next: { next: null } }],
    [
      [{ next: { next: 1 } }, '$.next must match at least one'],
      [{}, '$ must have the property "next"'],
    ],
  ],
  [{ format: 'date', title: 'any text', description: '', default: 1, examples: [] }, ['no date'], []],
];

describe('validate', () => {
  it.each(cases)('distinguishes valid and invalid values for %j', (schema, valid, invalid) => {
    checkSchema(schema, 'f', { knows: isJudged });
    for (const value of valid) expect({ value, ...validate(schema, value) }).toEqual({ value, kind: 'valid' });
    for (const [value, message] of invalid)
      expect({ value, ...validate(schema, value) }).toEqual({
        value,
        kind: 'invalid',
        message: expect.stringContaining(message),
      });
  });

  it('gives up on references that multiply', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `a${at}`,
        at < 39 ? { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] } : {},
      ]),
    );
    const schema = { $defs, $ref: '#/$defs/a0' };
    checkSchema(schema, 'f');
    expect(validate(schema, 1)).toEqual({ kind: 'undecided', message: 'takes too long to check a response against.' });
  });

  it('survives a value that is deeper than the stack', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    const schema = { items: { $ref: '#' }, uniqueItems: true };
    expect(validate(schema, deep)).toEqual({ kind: 'invalid', message: '$ is nested too deeply' });
  });

  it('judges every keyword that it says it does, and no other', () => {
    const names = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', 'dependencies', 'x-mine', 'constructor'];
    expect(names.filter(isJudged)).toEqual([]);
  });

  it('decides on any schema that was admitted, whatever the value', () => {
    let state = 11;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const parts = cases.map(([schema]) => schema).filter((schema) => !('$defs' in schema));
    const some = () => parts[random(parts.length)];
    const values = cases.flatMap(([, valid, invalid]) => [...valid, ...invalid.map(([value]) => value)]);
    const seen = { valid: 0, invalid: 0, undecided: 0, refused: 0 };
    for (let round = 0; round < 3000; round++) {
      const schema = {
        ...some(),
        ...some(),
        properties: { a: some(), next: { $ref: '#' } },
        anyOf: [some(), some()],
      } as Json;
      try {
        checkSchema(schema, 'f', { knows: isJudged });
        seen[validate(schema, values[random(values.length)]).kind]++;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        seen.refused++;
      }
    }
    expect([seen.valid > 100, seen.invalid > 100, seen.undecided]).toEqual([true, true, 0]);
  });
});
