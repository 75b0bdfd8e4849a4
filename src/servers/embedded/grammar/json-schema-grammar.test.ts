import { describe, expect, it } from 'vitest';
import { GbnfSampler } from '../../../../test/support/gbnf-sampler.ts';
import type { GenerationContract } from '../../../contracts/contract.ts';
import { explainVllm } from '../../../contracts/vllm-errors.ts';
import { generationError } from '../../../generate/generation-errors.ts';
import { checkSchema } from '../../../json-schema/check.ts';
import { validate } from '../../../json-schema/validate.ts';
import { StatusError } from '../../../kserve/status.ts';
import { GrammarError } from './grammar-error.ts';
import { jsonSchemaGrammar } from './json-schema-grammar.ts';
import { structuredGrammar } from './structured-output.ts';

/** Numbers that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Different texts of a schema's grammar. */
function texts(schema: unknown, count = 60): string[] {
  const sampler = new GbnfSampler(jsonSchemaGrammar(schema), numbers(7));
  const found = Array.from({ length: count }, () => sampler.text()).filter((text) => text !== undefined);
  return [...new Set(found)].toSorted();
}

/** Matches a GrammarError with this path and a part of its message. */
function refusalAt(location: string, message = ''): Error {
  const where: Pick<GrammarError, 'location'> = { location };
  return expect.objectContaining({ ...where, message: expect.stringContaining(message) }) as Error;
}

describe('other keywords beside a keyword', () => {
  it.each([
    [{ type: 'string', enum: ['a', 1] }, ['"a"']],
    [{ enum: ['a', 'bb'], minLength: 2 }, ['"bb"']],
    [{ enum: [1, 2, 'x'], const: 2 }, ['2']],
    [{ type: 'string', anyOf: [{ type: 'number' }, { const: 'x' }] }, ['"x"']],
    [{ anyOf: [{ const: 1 }, { const: 2 }], oneOf: [{ const: 2 }, { const: 3 }] }, ['2']],
    [{ $defs: { A: { enum: ['abc', 'abcdef'] } }, $ref: '#/$defs/A', minLength: 5 }, ['"abcdef"']],
    [
      {
        allOf: [
          { type: 'integer', minimum: 3 },
          { type: 'number', maximum: 3 },
        ],
      },
      ['3'],
    ],
    [{ enum: [{ a: 1 }, { a: 'x' }], properties: { a: { type: 'integer' } } }, ['{"a":1}']],
    [{ oneOf: [{ type: 'null' }, { type: 'boolean' }] }, ['false', 'null', 'true']],
    [{ type: 'boolean', nullable: true }, ['false', 'null', 'true']],
    [{ type: 'array', prefixItems: [{ const: 1 }], items: false, minItems: 1 }, ['[ 1 ]', '[ 1]', '[1 ]', '[1]']],
  ])('holds too: %j', (schema, expected) => {
    expect(texts(schema)).toEqual(expected);
  });

  it('are enforced behind a reference', () => {
    const schema = { $defs: { A: { type: 'string' } }, $ref: '#/$defs/A', minLength: 5 };
    for (const text of texts(schema)) expect([...JSON.parse(text)].length).toBeGreaterThanOrEqual(5);
  });
});

describe('oneOf', () => {
  const tagged = (kind: string, more: object = {}) => ({
    type: 'object',
    properties: { kind: { const: kind }, ...more },
    required: ['kind'],
  });
  const closed = (name: string) => ({
    type: 'object',
    properties: { [name]: { type: 'null' } },
    required: [name],
    additionalProperties: false,
  });

  it.each([
    [{ oneOf: [tagged('a'), tagged('b', { n: { type: 'null' } })] }],
    [{ oneOf: [closed('a'), closed('b')] }],
    [{ $defs: { A: tagged('a'), B: tagged('b') }, oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }],
    [{ oneOf: [{ type: 'integer' }, { type: 'string' }, { anyOf: [{ type: 'null' }, { type: 'boolean' }] }] }],
  ])('takes branches of which only one can hold: %j', (schema) => {
    const found = texts(schema);
    expect(found.length).toBeGreaterThan(1);
    for (const text of found) expect(validate(schema, JSON.parse(text))).toEqual({ kind: 'valid' });
  });

  it.each([
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    [{ oneOf: [{ minLength: 2 }, { minimum: 5 }] }],
    [{ oneOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }],
    [{ oneOf: [{ const: 'a' }, { type: 'string' }] }],
    [{ oneOf: [tagged('a'), { type: 'object', properties: { kind: { const: 'b' }, x: {} } }, tagged('b')] }],
  ])('refuses branches that can match the same value: %j', (schema) => {
    expect(() => jsonSchemaGrammar({ properties: { a: schema } })).toThrow(
      refusalAt('.properties.a.oneOf', 'can match the same value'),
    );
  });
});

describe('what is not supported', () => {
  it.each([
    [{ properties: { a: { not: {} } } }, '.properties.a.not'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', uniqueItems: true }] }, '.anyOf[1].uniqueItems'],
    [{ $defs: { A: { type: 'string', pattern: '(?=a)' } }, $ref: '#/$defs/A' }, '.$defs.A.pattern'],
    [{ allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] }, '.allOf[1].pattern'],
    [{ type: 'string', format: 'date', minLength: 3 }, '.minLength'],
    [{ enum: ['a'], pattern: 'b' }, '.pattern'],
    [{ anyOf: [{ $ref: '#' }, { type: 'string' }] }, ''],
    [{ $ref: '#/$defs/a', nullable: true, $defs: { a: {} } }, '.nullable'],
    [{ type: 'object', properties: {}, required: ['a'], additionalProperties: false }, ''],
  ])('is refused with its place: %j', (schema, location) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(GrammarError);
    expect(() => jsonSchemaGrammar(schema)).toThrow(refusalAt(location));
  });

  it('is named by the place in the parameter', () => {
    const option = JSON.stringify({
      json: { properties: { a: { oneOf: [{ type: 'integer' }, { type: 'number' }] } } },
    });
    expect(() => structuredGrammar(option)).toThrow(
      refusalAt('.json.properties.a.oneOf', 'branches that can match the same value'),
    );
  });
});

describe('the client', () => {
  it.each([
    ['response_format.json_schema.schema', '.json.properties.a.oneOf', '.properties.a.oneOf'],
    ['guided_regex', '.regex', ''],
  ])('is reported with the path in %s', (field, location, rest) => {
    const error = new StatusError('INVALID_ARGUMENT', `sampling_parameters.structured_outputs${location}: no: way`);
    const fields = { [`structured_outputs.${location.split('.')[1]}`]: field, structured_outputs: 'x' };
    const contract = { explain: explainVllm } as unknown as GenerationContract;
    expect(generationError(error, { contract, fields, signal: new AbortController().signal })).toMatchObject({
      code: 'invalid_request',
      param: field + rest,
      message: `${field}${rest}: no: way`,
    });
  });
});

describe('the work for one schema', () => {
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  const named = (count: number, schema: unknown) => Object.fromEntries(many(count, (at) => [`p${at}`, schema]));
  const tagged = (at: number) => ({ type: 'object', properties: { a: { const: at } }, required: ['a'] });
  let doubled: unknown = { type: 'string' };
  for (let level = 0; level < 12; level++) doubled = { anyOf: [doubled, doubled] };

  it.each([
    ['names', { properties: named(9000, {}), required: many(18_000, (at) => `q${at}`) }, 'too large'],
    ['values', { enum: many(20_000, (at) => `v${at}`) }, 'too many alternatives'],
    ['branches', { oneOf: many(2000, tagged) }, 'too many alternatives'],
    ['doubled branches', doubled, 'too many alternatives'],
    ['choices at once', { allOf: many(20, () => ({ anyOf: [{ minLength: 1 }, { maxLength: 5 }] })) }, 'too many'],
    ['bounded texts', { properties: named(600, { type: 'string', maxLength: 2000 }) }, 'too many repetitions'],
    [
      'bounded numbers',
      { properties: named(600, { minimum: -123456789012345 }) },
      'the grammar of the schema is too large',
    ],
    ['items', { prefixItems: many(3000, () => ({})) }, 'too large'],
  ])('is bounded for many %s', (_, schema, reason) => {
    const begin = process.cpuUsage();
    expect(() => structuredGrammar(JSON.stringify({ json: schema }))).toThrow(reason);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1500);
  });

  it('is bounded for grammars, patterns and choices too', () => {
    const refuses = (option: object, reason: string) =>
      expect(() => structuredGrammar(JSON.stringify(option))).toThrow(refusalAt(`.${Object.keys(option)[0]}`, reason));
    refuses({ grammar: `root ::= ${'('.repeat(50_000)}"a"${')'.repeat(50_000)}` }, 'is nested too deeply');
    refuses({ grammar: `root ::= "${'a'.repeat(1000)}"{2000}` }, 'too many repetitions');
    refuses({ choice: many(3000, (at) => `v${at}`) }, 'has more than 2000 alternatives');
    refuses({ regex: `${'('.repeat(30)}a?${'){2}'.repeat(30)}` }, 'too many repetitions');
    refuses({ regex: 'a{2000}'.repeat(11) }, 'too many repetitions');
    refuses({ regex: 'a'.repeat(9000) }, 'the pattern is longer than 8192');
  });
});

describe('random schemas', () => {
  it('have grammars of which every text is valid', () => {
    const random = numbers(2024);
    const pick = <T>(values: readonly T[]): T => values.at(Math.floor(random() * values.length)) as T;
    const maybe = (chance: number, value: () => object): object => (random() < chance ? value() : {});
    const value = (): unknown => pick(['a', 'bb', '', 1, -2, 2.5, true, null, [], [1], {}, { a: 1 }, { b: 'a' }]);
    const several = <T>(make: () => T): T[] => Array.from({ length: 1 + Math.floor(random() * 3) }, make);
    const schemaOf = (depth: number): unknown => {
      if (random() < 0.04) return random() < 0.7;
      const inner = (): unknown => schemaOf(depth - 1);
      const named = (): object => Object.fromEntries(several(() => [pick(['a', 'b', 'c']), inner()]));
      const type = (): string => pick(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']);
      return {
        ...maybe(0.6, () => ({ type: random() < 0.7 ? type() : [...new Set(several(type))] })),
        ...maybe(0.12, () => ({ enum: several(value) })),
        ...maybe(0.05, () => ({ const: value() })),
        ...maybe(0.2, () => pick([{ minLength: 2 }, { maxLength: 3 }, { pattern: '^[^a]\\S\\W?$' }, { minLength: 1 }])),
        ...maybe(0.2, () =>
          pick([{ minimum: -3 }, { maximum: 12.5 }, { exclusiveMinimum: 0 }, { exclusiveMaximum: 7 }]),
        ),
        ...maybe(0.15, () => pick([{ minItems: 1 }, { maxItems: 2 }, { minItems: 3 }])),
        ...maybe(0.05, () => ({ $ref: pick(['#', '#/$defs/a', '#/$defs/b']) })),
        ...(depth === 0
          ? {}
          : {
              ...maybe(0.2, () => ({ items: inner() })),
              ...maybe(0.1, () => ({ prefixItems: several(inner) })),
              ...maybe(0.3, () => ({ properties: named() })),
              ...maybe(0.2, () => ({ required: [...new Set(several(() => pick(['a', 'b', 'c', 'd'])))] })),
              ...maybe(0.15, () => ({ additionalProperties: inner() })),
              ...maybe(0.15, () => ({ anyOf: several(inner) })),
              ...maybe(0.15, () => ({ oneOf: several(inner) })),
              ...maybe(0.1, () => ({ allOf: several(inner) })),
            }),
      };
    };
    let checked = 0;
    const wrong: object[] = [];
    for (let round = 0; round < 1000; round++) {
      const root = { allOf: [schemaOf(2)], $defs: { a: schemaOf(1), b: schemaOf(1) } };
      let grammar: string;
      try {
        checkSchema(root, 'f');
        grammar = jsonSchemaGrammar(root);
      } catch {
        continue;
      }
      const sampler = new GbnfSampler(grammar, random);
      for (let at = 0; at < 8; at++) {
        const text = sampler.text();
        if (text === undefined) continue;
        checked++;
        if (validate(root, JSON.parse(text)).kind === 'invalid') wrong.push({ root, text });
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(2000);
  });
});
