import { describe, expect, it } from 'vitest';
import { characterSet, complement, without } from '../../../patterns/character-set.ts';
import { GrammarError } from './grammar-error.ts';
import { integerRange } from './integer-range.ts';
import { jsonSchemaGrammar } from './json-schema-grammar.ts';
import { insideJson, regexGrammar } from './regex-grammar.ts';
import { structuredGrammar } from './structured-output.ts';

/** A rule without references, as a regular expression: they differ only in quotes and spaces. */
function asRegex(rule: string): RegExp {
  return new RegExp(`^(?:${rule.replaceAll(/"([^"]*)"/g, '$1').replaceAll(' ', '')})$`);
}

describe('integerRange', () => {
  it.each([
    [0, 9],
    [5, 5],
    [0, 100],
    [7, 1234],
    [-5, 5],
    [-120, -7],
    [99, 101],
    [1, 1000],
    [-1000, 999],
  ])('accepts the numbers from %i to %i and no other', (least, most) => {
    const rule = asRegex(integerRange(least, most));
    for (let number = -1300; number <= 1300; number++)
      expect([number, rule.test(String(number))]).toEqual([number, number >= least && number <= most]);
    expect(rule.test('007')).toBe(false);
    expect(rule.test('-0')).toBe(false);
  });

  it('is open at either end', () => {
    const least = asRegex(integerRange(12, undefined));
    const most = asRegex(integerRange(undefined, 12));
    for (let number = -200; number <= 2000; number++) {
      expect([number, least.test(String(number))]).toEqual([number, number >= 12]);
      expect([number, most.test(String(number))]).toEqual([number, number <= 12]);
    }
  });
});

describe('regexGrammar', () => {
  it.each([
    ['abc', '"a" "b" "c"'],
    ['^a|b$', '("a" | "b")'],
    ['a{2,3}b?', '"a"{2,3} "b"?'],
    ['[a-c0]+?', '[0a-c]+'],
    ['(?:x|y)*', '("x" | "y")*'],
    ['(ab)+(c*)*(d)?', '("a" "b")+ ("c"*)* ("d")?'],
    ['(^a|b)$', '("a" | "b")'],
    ['(|a)', '("" | "a")'],
    ['\\d\\.', '[0-9] "."'],
    ['(?<year>\\d{4})', '[0-9]{4,4}'],
    ['a{,3}', '"a" "{" "," "3" "}"'],
    ['\\ud83d\\ude00', '"\\U0001f600"'],
    ['a{2,}.', '"a"{2,} [\\x00-\\x09\\x0b-\\x0c\\x0e-\\u2027\\u202a-\\U0010ffff]'],
    ['\\s', '[\\x09-\\x0d \\xa0\\u1680\\u2000-\\u200a\\u2028-\\u2029\\u202f\\u205f\\u3000\\ufeff]'],
    ['é😀', '"\\xe9" "\\U0001f600"'],
  ])('turns %s into a rule', (pattern, rule) => {
    expect(regexGrammar(pattern)).toBe(rule);
  });

  it('writes characters the way that JSON wants them', () => {
    expect(regexGrammar('"', insideJson)).toBe('"\\x5c\\x22"');
    expect(regexGrammar('a\\nb', insideJson)).toBe('"a" "\\x5cn" "b"');
    expect(regexGrammar('["a]', insideJson)).toBe('"a"');
  });

  it.each([
    ['(?=a)', 'look-ahead "(?=" is not supported (position 0)'],
    ['(?<!a)b', 'look-behind "(?<!" is not supported (position 0)'],
    ['(a)\\1', 'the back-reference "\\1" is not supported (position 3)'],
    ['\\bword', 'the word boundary "\\b" is not supported (position 0)'],
    ['\\p{L}', 'the Unicode class "\\p{…}" is not supported (position 0)'],
    ['(a', '"(" is not closed (position 0)'],
    ['a)', '")" has no matching "(" (position 1)'],
    ['[a', '"[" is not closed (position 0)'],
    ['*a', '"*" has nothing to repeat (position 0)'],
    ['a{3,2}', 'the repetition is out of order (position 1)'],
    ['a{9999}', 'more than 2000 repetitions are not supported (position 1)'],
    ['[]', 'the empty class "[]" is not supported (position 0)'],
    ['a$b', 'the anchor "$" inside a pattern is not supported (position 1)'],
    ['a^b', 'the anchor "^" inside a pattern is not supported (position 1)'],
    ['\\0', 'the NUL character is not supported (position 0)'],
    ['('.repeat(5000), 'groups are nested deeper than 64 levels (position 64)'],
  ])('refuses %.20s', (pattern, reason) => {
    expect(() => regexGrammar(pattern)).toThrow(new GrammarError(`the pattern cannot be used: ${reason}`));
  });

  it('refuses a pattern that is too long', () => {
    expect(() => regexGrammar('a'.repeat(8193))).toThrow('the pattern is longer than 8192 characters');
  });
});

describe('jsonSchemaGrammar', () => {
  it.each([
    [{ type: 'object', patternProperties: {} }, 'patternProperties'],
    [{ not: {} }, 'not'],
    [{ type: 'array', uniqueItems: true }, 'uniqueItems'],
    [{ type: 'integer', multipleOf: 3 }, 'multipleOf'],
    [{ type: 'object', minProperties: 1 }, 'minProperties'],
    [{ type: 'string', maxLength: 5000 }, 'maxLength must be at most 2000, not 5000'],
    [{ type: 'string', minLength: 3, maxLength: 2 }, 'maxLength is less than minLength'],
    [{ type: 'banana' }, 'banana is not a JSON type'],
    [{ $ref: 'https://example.com/x' }, 'only references into the schema'],
    [{ enum: [] }, 'must be an array with at least one value'],
    [{ type: 'number', minimum: 0.1, maximum: 0.9 }, 'no integer between'],
    [false, 'no value matches the schema'],
    ['text', 'must be a schema'],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'no value matches the schema'],
  ])('refuses %j by the keyword', (schema, reason) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(GrammarError);
    expect(() => jsonSchemaGrammar(schema)).toThrow(reason);
  });

  it('stays small for many optional properties', () => {
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(jsonSchemaGrammar({ type: 'object', properties }).length).toBeLessThan(60_000);
  });

  it('refuses a schema that is 100 levels deep', () => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < 100; level++) schema = { type: 'array', items: schema };
    expect(() => jsonSchemaGrammar(schema)).toThrow('levels deep');
  });

  it('merges allOf and the keywords beside anyOf', () => {
    expect(
      jsonSchemaGrammar({ allOf: [{ type: 'object' }, { properties: { a: { const: 1 } }, required: ['a'] }] }),
    ).toContain('"\\x22a\\x22" colon "1"');
    expect(jsonSchemaGrammar({ type: 'integer', anyOf: [{ minimum: 5, maximum: 5 }] })).toContain('"5"');
  });
});

describe('structuredGrammar', () => {
  it('wants exactly one thing', () => {
    expect(structuredGrammar('{}')).toBeUndefined();
    expect(structuredGrammar('{"json": null, "choice": ["a", "b\\"c"]}')).toBe('root ::= "a" | "b\\x22c"');
    expect(structuredGrammar('{"json": "{\\"type\\": \\"null\\"}"}')).toContain('root ::= "null"');
    expect(() => structuredGrammar('{"json": "{"}')).toThrow('json is not valid JSON');
    expect(() => structuredGrammar(JSON.stringify({ regex: 'a'.repeat(300_000) }))).toThrow('must be at most');
  });
});

describe('character sets', () => {
  it('are joined, turned around and taken away', () => {
    const set = characterSet([
      [0x61, 0x63],
      [0x64, 0x66],
      [0x30, 0x39],
    ]);
    expect(set).toEqual([
      [0x30, 0x39],
      [0x61, 0x66],
    ]);
    expect(complement(complement(set))).toEqual(set);
    expect(without(set, [[0x32, 0x32]])).toEqual([
      [0x30, 0x31],
      [0x33, 0x39],
      [0x61, 0x66],
    ]);
  });
});
