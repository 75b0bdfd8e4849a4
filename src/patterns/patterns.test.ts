import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullMatch } from './full-match.ts';
import { type Pattern, PatternError } from './pattern.ts';
import { readPattern } from './read-pattern.ts';
import { writeLiteral, writePattern } from './write-pattern.ts';

const any: Pattern = { kind: 'repeat', item: { kind: 'set', set: [[0, 0x10ffff]] }, least: 0, most: undefined };
const jsonForbidden = [
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
] as const;

/** A pattern as it is sent for whole texts; one that is not exact ends with `~`. */
function written(source: string): string {
  const { text, isExact } = writePattern(fullMatch(readPattern(source))) ?? { text: 'nothing', isExact: true };
  return isExact ? text : `${text}~`;
}

function errorOf(source: string): string {
  try {
    return `no error: ${written(source)}`;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

const raw = String.raw;

describe('a pattern that is read and written', () => {
  it.each([
    ['abc', 'abc'],
    ['', '(?:)'],
    ['^a|b$', 'a|b'],
    ['^(a|b)$', 'a|b'],
    ['(^a$|^b$)', 'a|b'],
    [raw`\d+(\.\d{2})?`, raw`[0-9]+(?:\u002e[0-9]{2})?`],
    [raw`\w\s`, raw`[0-9A-Z\u005fa-z][\u0009-\u000d\u0020]`],
    [raw`\D\S\W`, raw`[^\u00000-9][^\u0000\u0009-\u000d\u0020][^\u00000-9A-Z\u005fa-z]`],
    ['a.c', raw`a[^\u0000\u000a\u000d]c`],
    ['a*?b+?c??d{2}?', 'a*b+c?d{2}'],
    ['a{0}b{1}c{2,}d{3,4}', 'bc{2,}d{3,4}'],
    ['(?P<year>a)(?<month>b)(?:c)(d)', 'abcd'],
    ['(ab|c)*', '(?:ab|c)*'],
    ['(|a)b', '(?:(?:)|a)b'],
    ['(a|a)', 'a'],
    [raw`\x41\u0042\u{43}\ud83d\ude00`, 'ABC😀'],
    [raw`"\\/\-#&~`, raw`\u0022\u005c\u002f\u002d\u0023\u0026\u007e`],
    [raw`\t\n\r\f\v`, raw`\u0009\u000a\u000d\u000c\u000b`],
    ['a\nb', raw`a\u000ab`],
    ['a{b}', raw`a\u007bb\u007d`],
    ['[a-z&&b]', raw`[\u0026a-z]`],
    [raw`[\]\[^-]`, raw`[\u002d\u005b\u005d\u005e]`],
    [raw`[\d-z]`, raw`[\u002d0-9z]`],
    [raw`[\b\0]`, raw`\u0008`],
    [raw`[\s\S]`, raw`[^\u0000]`],
    ['[^a]', raw`[^\u0000a]`],
    ['äö', 'äö'],
    ['[aäö]{2}', '(?:[a]|ä|ö){2}'],
    [raw`\u2028`, raw`\u2028`],
    ['[一-龥]{3}', raw`[^\u0000-\u007f]{3}~`],
    ['[a-z一-龥]', raw`[^\u0000-\u0060\u007b-\u007f]~`],
    ['[^ä]', raw`[^\u0000]~`],
  ])('%j becomes %j', (source, expected) => {
    expect(written(source)).toBe(expected);
  });

  it.each([
    ['a(?=b)', 'look-ahead "(?=" is not supported (position 1)'],
    ['a(?!b)', 'look-ahead "(?!" is not supported (position 1)'],
    ['(?<=a)b', 'look-behind "(?<=" is not supported (position 0)'],
    ['(?<!a)b', 'look-behind "(?<!" is not supported (position 0)'],
    [raw`(a)\1`, raw`the back-reference "\1" is not supported (position 3)`],
    [raw`(?<x>a)\k<x>`, raw`the back-reference "\k" is not supported (position 7)`],
    ['(?P<x>a)(?P=x)', 'the back-reference "(?P=" is not supported (position 8)'],
    [raw`\bword\B`, raw`the word boundary "\b" is not supported (position 0)`],
    [raw`\p{L}+`, raw`the Unicode class "\p{…}" is not supported (position 0)`],
    [raw`[\p{L}]`, raw`the Unicode class "\p{…}" is not supported (position 1)`],
    [raw`\Aa\Z`, raw`the escape "\A" is not supported (position 0)`],
    ['a[]', 'the empty class "[]" is not supported (position 1)'],
    ['[^]', 'the empty class "[]" is not supported (position 0)'],
    [raw`[^\s\S]`, 'the class matches no character (position 0)'],
    ['[[:alpha:]]', 'the POSIX class "[:" is not supported (position 1)'],
    ['(?i)a', 'the inline flag "(?" is not supported (position 0)'],
    ['(?>a)', 'the atomic group "(?>" is not supported (position 0)'],
    ['(?R)', 'recursion "(?R" is not supported (position 0)'],
    ['a++', 'the possessive quantifier is not supported (position 2)'],
    ['a**', 'a quantifier follows another one (position 2)'],
    ['*a', '"*" has nothing to repeat (position 0)'],
    ['{2}a', 'the repetition has nothing to repeat (position 0)'],
    ['^*', 'an anchor cannot be repeated (position 1)'],
    ['a{3,2}', 'the repetition is out of order (position 1)'],
    ['a{2001}', 'more than 2000 repetitions are not supported (position 1)'],
    ['(a', '"(" is not closed (position 0)'],
    ['a)', '")" has no matching "(" (position 1)'],
    ['[a', '"[" is not closed (position 0)'],
    ['[z-a]', 'the range of the class is out of order (position 1)'],
    ['a\\', '"\\" at the end of the pattern escapes nothing (position 1)'],
    [raw`\xg`, raw`"\x" is not followed by a hexadecimal number (position 0)`],
    [raw`\u{110000}`, 'the escape is beyond the last code point, U+10FFFF (position 0)'],
    [raw`\ud800`, 'half of a surrogate pair is not a character (position 0)'],
    ['a\ud800', 'half of a surrogate pair is not a character (position 1)'],
    ['a\0', 'the NUL character is not supported (position 1)'],
    [raw`\0`, 'the NUL character is not supported (position 0)'],
    [raw`\07`, raw`the escape "\0" is not supported (position 0)`],
    ['a^b', 'the anchor "^" inside a pattern is not supported (position 1)'],
    ['(a$)*', 'the anchor "$" inside a pattern is not supported (position 2)'],
    ['('.repeat(65) + ')'.repeat(65), 'groups are nested deeper than 64 levels (position 64)'],
  ])('%j is refused', (source, message) => {
    expect(errorOf(source)).toBe(message);
  });
});

describe('a pattern that finds something in a text', () => {
  const inJson = (source: string): string | undefined =>
    writePattern(fullMatch(readPattern(source), any), jsonForbidden)?.text;
  const beside = raw`[^\u0000-\u001f\u0022\u005c]*`;

  it.each([
    ['^a$', 'a'],
    ['a', `${beside}a${beside}`],
    ['^a', `a${beside}`],
    ['a$', `${beside}a`],
    ['^a$|^b', `a|b${beside}`],
    ['(^|x)a$', `(?:(?:)|${beside}x)a`],
    ['', `${beside}${beside}`],
    [raw`^\s\S$`, raw` [^\u0000-\u0020\u0022\u005c]`],
    [raw`^(a|\n)*$`, '(?:a)*'],
  ])('%j becomes %j inside JSON', (source, expected) => {
    expect(inJson(source)).toBe(expected);
  });

  it('has no form where it needs a character that JSON escapes', () => {
    expect([inJson('^a"b$'), inJson(raw`^\\$`), inJson(raw`^(\n|\t)$`)]).toEqual([undefined, undefined, undefined]);
  });
});

describe('a text that is written as a pattern', () => {
  it('matches itself, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), (text, other) => {
        fc.pre(!text.includes('\0'));
        const expression = new RegExp(`^(?:${writeLiteral(text)})$`, 'u');
        expect([expression.test(text), expression.test(other)]).toEqual([true, other === text]);
      }),
    );
  });
});

describe('a pattern of ASCII', () => {
  const letters = fc.constantFrom('a', 'b', 'c', '1', ' ', '-', '"', '\\', '\n');
  const atoms = fc.oneof(
    letters.map((letter) => letter.replace(/[\\-]/, raw`\$&`)),
    fc.constantFrom(
      '.',
      raw`\d`,
      raw`\w`,
      raw`\s`,
      raw`\D`,
      raw`\W`,
      raw`\S`,
      '[a-c]',
      '[^a]',
      raw`[\d\-a]`,
      '[^b-z1]',
    ),
  );
  const { pattern: patterns } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      atoms,
      fc.array(tie('pattern'), { minLength: 0, maxLength: 3 }).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?'))
        .map(([inner, quantifier]) => `(?:${inner})${quantifier}`),
    ),
  }));
  const texts = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''));

  it('matches the same texts after it was written', () => {
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 5, maxLength: 20 }), (source, samples) => {
        const { text, isExact } = writePattern(fullMatch(readPattern(source))) ?? { text: '[]', isExact: true };
        const before = new RegExp(`^(?:${source})$`);
        const after = new RegExp(`^(?:${text})$`, 'u');
        expect(isExact).toBe(true);
        expect(samples.map((sample) => after.test(sample))).toEqual(samples.map((sample) => before.test(sample)));
      }),
      { numRuns: 500 },
    );
  });

  it('finds the same texts after it was written for whole ones', () => {
    const edges = fc.constantFrom('', '^');
    const ends = fc.constantFrom('', '$');
    fc.assert(
      fc.property(edges, patterns, ends, texts, (start, inner, end, sample) => {
        const source = `${start}${inner}${end}`;
        const { text } = writePattern(fullMatch(readPattern(source), any)) ?? { text: '[]' };
        expect(new RegExp(`^(?:${text})$`, 'u').test(sample)).toBe(new RegExp(source).test(sample));
      }),
      { numRuns: 500 },
    );
  });
});
