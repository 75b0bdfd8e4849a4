import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Structure } from './contract.ts';
import { guideWriter } from './vllm-guide.ts';

const writeGuide = guideWriter({ allowsLeftRecursion: true });

const raw = String.raw;

/** What is sent for a structure; `null` where the response is to be checked. */
function sent(structure: Structure): readonly [Structure, isExact: boolean] {
  const { structure: written, isExact } = writeGuide(structure);
  return [written, isExact];
}

function errorOf(structure: Structure): readonly [param: string | null, message: string] {
  try {
    return [null, JSON.stringify(writeGuide(structure))];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return [error.param, error.message.slice((error.param?.length ?? 0) + 2)];
  }
}

describe('choices', () => {
  it('become one regular expression whose characters are escaped', () => {
    expect(sent({ choice: ['yes', 'no'] })).toEqual([{ regex: 'yes|no' }, true]);
    expect(sent({ choice: ['a\nb', 'c\r', '"\\', 'ä一😀', '(x|y)*'] })).toEqual([
      { regex: raw`a\u000ab|c\u000d|\u0022\u005c|ä一😀|\u0028x\u007cy\u0029\u002a` },
      true,
    ]);
  });

  it('are refused where no library can write them', () => {
    expect(errorOf({ choice: ['a', 'b\0'] })).toEqual([
      'structured_outputs.choice[1]',
      'must not contain the NUL character.',
    ]);
    expect(errorOf({ choice: ['a'.repeat(200_000), 'b'.repeat(100_000)] })).toEqual([
      'structured_outputs.choice',
      'has more than 262144 characters in all choices together.',
    ]);
    expect(errorOf({ choice: ['\ud83d'] })).toEqual([
      'structured_outputs.choice[0]',
      'contains half of a surrogate pair.',
    ]);
  });
});

describe('a regular expression', () => {
  it('is written in what the libraries share', () => {
    expect(sent({ regex: raw`^(?P<y>\d{4})-.$` })).toEqual([{ regex: raw`[0-9]{4}\u002d[^\u0000\u000a\u000d]` }, true]);
    expect(sent({ regex: '[一-龥]{3}' })).toEqual([{ regex: raw`[^\u0000-\u007f]{3}` }, false]);
  });

  it('is refused where nested ranges of groups make it too long', () => {
    const letters = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x400 + at)).join('');
    const nested = Array.from({ length: 11 }).reduce((inner) => `(?:${String(inner)}b){1,2}`, `[${letters}]`);
    expect(errorOf({ regex: String(nested) })).toEqual([
      'structured_outputs.regex',
      'repeats too much: simplify its groups, and its classes of characters beyond ASCII.',
    ]);
  });

  it('has ranges of groups written so that they do not multiply', () => {
    expect(sent({ regex: '(?:[a-z]{1,9} ){2,9}' })).toEqual([
      { regex: '(?:[a-z]{1,9} ){2}(?:(?:[a-z]{1,9} )?){7}' },
      true,
    ]);
    expect(sent({ regex: '(ab){0,9}' })).toEqual([{ regex: '(?:(?:ab)?){9}' }, true]);
  });

  it.each([
    ['a(?=b)', 'look-ahead "(?=" is not supported (position 1). Use only what'],
    [raw`(a)\1`, raw`the back-reference "\1" is not supported (position 3). Use only what`],
    ['((a{100}){20}){20}', 'repeats too much: written out it has more than 10000 characters.'],
    ['a{0}[^\\u0000-\\u{10ffff}]', 'the class matches no character (position 4).'],
  ])('%j is refused', (regex, message) => {
    const [param, text] = errorOf({ regex });
    expect([param, text.slice(0, message.length)]).toEqual(['structured_outputs.regex', message]);
  });
});

describe('other structures', () => {
  it('are sent as they are', () => {
    for (const structure of [{ json_object: true }, { grammar: 'root ::= "a"' }] as const)
      expect(sent(structure)).toEqual([structure, true]);
  });
});

const text = { type: 'string' };
const whole = { type: 'integer' };
const tooComplex = 'is too complex: simplify its references, its allOf and its patterns, or require more properties.';
const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
  additionalProperties: false,
});

describe('a JSON schema', () => {
  it.each<[string, object, object]>([
    ['anything', {}, {}],
    [
      'remarks',
      { title: 't', description: 'd', default: 1, examples: [1], 'x-ours': { type: 5 }, type: 'null' },
      { type: 'null' },
    ],
    ['an object', { type: 'object' }, { type: 'object' }],
    ['named properties', { type: 'object', properties: { a: whole } }, closed({ a: whole })],
    ['an object by its keywords', { properties: { a: whole } }, closed({ a: whole })],
    [
      'a property that is only required',
      { type: 'object', properties: { a: whole }, required: ['a', 'z'] },
      closed({ a: whole, z: {} }, { required: ['a', 'z'] }),
    ],
    ['a property that cannot be', { type: 'object', properties: { a: whole, b: false } }, closed({ a: whole })],
    ['a list', { type: 'array' }, { type: 'array', items: {} }],
    [
      'a list with limits',
      { items: text, minItems: 1, maxItems: 2 },
      { type: 'array', items: text, minItems: 1, maxItems: 2 },
    ],
    ['first items', { prefixItems: [text], items: false }, { type: 'array', prefixItems: [text], items: false }],
    [
      'first items of old drafts',
      { items: [text, whole], additionalItems: false },
      { type: 'array', prefixItems: [text, whole], items: false },
    ],
    ['uniqueItems: false', { type: 'array', items: text, uniqueItems: false }, { type: 'array', items: text }],
    [
      'several types',
      { type: ['integer', 'null'], minimum: 3 },
      { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] },
    ],
    [
      'whole bounds',
      { type: 'integer', minimum: 2.5, exclusiveMaximum: 10 },
      { type: 'integer', minimum: 3, maximum: 9 },
    ],
    ['lengths', { type: 'string', minLength: 0, maxLength: 3 }, { type: 'string', maxLength: 3 }],
    ['a shared format', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    ['another format', { type: 'string', format: 'iri' }, text],
    ['an anchored pattern', { type: 'string', pattern: raw`^\d+$` }, { type: 'string', pattern: '^(?:[0-9]+)$' }],
    ['a pattern', { pattern: 'a$' }, { type: 'string', pattern: raw`^(?:[^\u0000-\u001f\u0022\u005c]*a)$` }],
    ['values', { type: 'string', enum: ['a', 1, 'b\n'] }, { enum: ['a', 'b\n'] }],
    ['one value', { const: { a: [1] } }, { const: { a: [1] } }],
    ['alternatives', { anyOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
    ['oneOf of other types', { oneOf: [text, whole] }, { anyOf: [text, whole] }],
    ['allOf of one', { allOf: [text], description: 'd' }, text],
    [
      'allOf of objects',
      { allOf: [{ properties: { a: whole }, required: ['a'] }, { properties: { b: text } }] },
      closed({ a: whole, b: text }, { required: ['a'] }),
    ],
    [
      'keywords beside anyOf',
      { type: 'object', properties: { a: whole, b: whole }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {
        anyOf: [
          closed({ a: whole, b: whole }, { required: ['a'] }),
          closed({ a: whole, b: whole }, { required: ['b'] }),
        ],
      },
    ],
    [
      'references',
      { items: { $ref: '#/definitions/a~1b' }, definitions: { 'a/b': whole, unused: { not: {} } } },
      { type: 'array', items: { $ref: '#/$defs/d0' }, $defs: { d0: whole } },
    ],
    [
      'keywords beside a reference',
      { $ref: '#/$defs/a', minimum: 3, $defs: { a: whole } },
      { type: 'integer', minimum: 3, $defs: { d0: whole } },
    ],
    [
      'references back',
      { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
      {
        ...closed({ next: { anyOf: [{ $ref: '#/$defs/d0' }, { type: 'null' }] } }),
        $defs: { d0: closed({ next: { anyOf: [{ $ref: '#/$defs/d0' }, { type: 'null' }] } }) },
      },
    ],
  ])('with %s is written', (_, json, expected) => {
    expect(sent({ json: json as Record<string, unknown> })).toEqual([{ json: expected }, true]);
  });

  it.each<[string, object, object]>([
    ['multipleOf', { type: 'integer', multipleOf: 5 }, whole],
    ['bounds of numbers', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', minimum: 0 }],
    ['bounds beyond what is written', { type: 'integer', maximum: 1e30 }, whole],
    [
      'lists of billions',
      { items: text, minItems: 3e9, maxItems: 4e9 },
      { type: 'array', items: text, minItems: 2000 },
    ],
    ['strings of billions', { minLength: 1, maxLength: 5e9 }, { type: 'string', minLength: 1 }],
    ['a length beside a pattern', { pattern: '^a*$', maxLength: 3 }, { type: 'string', pattern: '^(?:a*)$' }],
    ['a class beyond ASCII', { pattern: '^[一-龥]+$' }, { type: 'string', pattern: raw`^(?:[^\u0000-\u007f]+)$` }],
    [
      'a pattern with look-ahead beside a format',
      { type: 'string', format: 'email', pattern: raw`^(?!\.)[a-z.]+@[a-z]+$` },
      { type: 'string', format: 'email' },
    ],
    ['minProperties', { type: 'object', minProperties: 1 }, { type: 'object' }],
    [
      'additional properties',
      { properties: { a: whole }, additionalProperties: text },
      { ...closed({ a: whole }), additionalProperties: text },
    ],
    [
      'oneOf that may hold twice',
      { oneOf: [text, { type: 'string', maxLength: 3 }] },
      { anyOf: [text, { type: 'string', maxLength: 3 }] },
    ],
    ['keywords beside values', { enum: ['a', 'bb'], minLength: 2 }, { enum: ['a', 'bb'] }],
    ['two patterns', { allOf: [{ pattern: '^a$' }, { pattern: '^b$' }] }, { type: 'string', pattern: '^(?:a)$' }],
  ])('with %s leaves something to the check', (_, json, expected) => {
    expect(sent({ json: json as Record<string, unknown> })).toEqual([{ json: expected }, false]);
  });

  const unsupported = 'this keyword is not supported';
  it.each<[object, string, string]>([
    [{ uniqueItems: true }, '.uniqueItems', unsupported],
    [{ properties: { a: { contains: text } } }, '.properties.a.contains', unsupported],
    [{ items: { patternProperties: { '^a': {} } } }, '.items.patternProperties', unsupported],
    [{ propertyNames: { pattern: '^a$' } }, '.propertyNames', unsupported],
    [{ anyOf: [text, { not: text }] }, '.anyOf[1].not', unsupported],
    [JSON.parse('{"allOf": [{"if": {}, "then": {}}]}') as object, '.allOf[0].if', unsupported],
    [{ dependentRequired: { a: ['b'] } }, '.dependentRequired', unsupported],
    [{ $ref: '#/$defs/a', $defs: { a: { not: text } } }, '.$defs.a.not', unsupported],
    [
      { items: { $ref: '#/$defs/a', maxLength: 1 }, $defs: { a: { pattern: raw`\p{L}` } } },
      '.$defs.a.pattern',
      raw`the Unicode class "\p{…}"`,
    ],
    [{ properties: { a: { pattern: raw`^\bx` } } }, '.properties.a.pattern', raw`the word boundary "\b"`],
    [{ pattern: '^"$' }, '.pattern', 'needs a quotation mark'],
    [{ properties: { 'a"b': text } }, '.properties', raw`the name "a\"b" has a quotation mark`],
    [{ required: ['a\n'] }, '.required', raw`the name "a\n" has`],
    [{ type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 6 }, '', 'no value satisfies this schema.'],
    [{ properties: { a: false }, required: ['a'] }, '', 'no value satisfies this schema.'],
    [{ allOf: [text, whole] }, '', 'no value satisfies this schema.'],
    [{ const: '\ud800' }, '', 'contains half of a surrogate pair.'],
  ])('%j is refused in its place', (json, location, message) => {
    const [param, said] = errorOf({ json: json as Record<string, unknown> });
    expect([param, said.slice(0, message.length)]).toEqual([`structured_outputs.json${location}`, message]);
  });

  it('is refused where references multiply it or lead on and on, and where its patterns are too long', () => {
    const count = 40;
    const doubled = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `a${at}`,
        at === count - 1
          ? { properties: {} }
          : { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}`, minProperties: at }] },
      ]),
    );
    const chain = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`a${at}`, at === 999 ? {} : { $ref: `#/$defs/a${at + 1}` }]),
    );
    const long = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`a${at}`, { pattern: 'a'.repeat(4000) }]));
    expect(errorOf({ json: { properties: long } })[1]).toBe(tooComplex);
    for (const $defs of [doubled, chain])
      expect(errorOf({ json: { $defs, $ref: '#/$defs/a0' } })).toEqual(['structured_outputs.json', tooComplex]);
  });

  it('is refused where alternatives or allOf would repeat long lists', () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `a${at}`);
    const many = Array.from({ length: 1000 }, (_, at) => ({ minLength: at, minProperties: at, required: [`b${at}`] }));
    for (const json of [{ enum: names, anyOf: many }, { allOf: [{ required: names }, ...many] }])
      expect(errorOf({ json })[1]).toBe(tooComplex);
  });

  it('is refused where an object has hundreds of optional properties', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a${at}`, text]));
    expect(errorOf({ json: { properties } })[1]).toBe(tooComplex);
    expect(errorOf({ json: { properties, required: Object.keys(properties) } })[0]).toBeNull();
  });

  it('has one definition for a place, however references write it', () => {
    const anyOf = ['#/$defs/ab', '#/$defs/%61b', '#/%24defs/a%62'].map(($ref) => ({ $ref }));
    expect(sent({ json: { anyOf, $defs: { ab: text } } })[0]).toEqual({
      json: { anyOf: anyOf.map(() => ({ $ref: '#/$defs/d0' })), $defs: { d0: text } },
    });
  });

  it('keeps names of properties that objects have by themselves', () => {
    const json = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}}}',
    );
    expect(JSON.stringify(writeGuide({ json }).structure)).toBe(
      '{"json":{"type":"object","properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}},"additionalProperties":false}}',
    );
  });
});
