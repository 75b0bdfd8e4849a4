import { describe, expect, it } from 'vitest';
import { parseJson } from './json-parse.ts';
import { Double } from './json-value.ts';
import { writeJson } from './json-write.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it('tells whole numbers from others, and loses no digit of 64 bits', () => {
    expect(parse('[1, -0, 1.5, 1.0, 1e2, 9007199254740993, -9223372036854775808, 18446744073709551615]')).toEqual([
      1,
      0,
      1.5,
      new Double(1),
      new Double(100),
      9007199254740993n,
      -9223372036854775808n,
      18446744073709551615n,
    ]);
    expect(parse('[18446744073709551616, NaN, -Inf, Infinity]')).toEqual([
      new Double(18446744073709551616),
      new Double(Number.NaN),
      new Double(Number.NEGATIVE_INFINITY),
      new Double(Number.POSITIVE_INFINITY),
    ]);
  });

  it('keeps texts as bytes', () => {
    expect(parse('["ä", "\\u00e4\\ud83d\\ude00\\u0000\\n"]')).toEqual([
      Buffer.from('ä').toString('latin1'),
      Buffer.from('ä😀\0\n').toString('latin1'),
    ]);
    expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toBe('\u00ff');
  });

  it('takes the first of two members with one name', () => {
    expect(parse('{"a":1,"a":2}')).toEqual(new Map([['a', 1]]));
  });

  it.each([
    ['', 'The document is empty. at 0'],
    ['{"a":1,}', 'Missing a name for object member. at 7'],
    ['[1,]', 'Invalid value. at 3'],
    ['{} x', 'The document root must not be followed by other values. at 3'],
    ['"\\ud800"', 'The surrogate pair in string is invalid. at 1'],
    ['1e999', 'Number too big to be stored in double. at 0'],
  ])('names and places what is wrong with %s', (text, reason) => {
    expect(() => parse(text)).toThrow(`failed to parse the request JSON buffer: ${reason}`);
  });

  it('refuses what nests too deep', () => {
    expect(() => parse(`${'['.repeat(100)}${']'.repeat(100)}`)).not.toThrow();
    expect(() => parse('['.repeat(101))).toThrow(/nests deeper/);
  });
});

describe('writeJson', () => {
  it('writes as Triton does', () => {
    const text = {
      a: '"\\\u0001\u001f\n/',
      left: undefined,
      b: [true, null, 7n, 1, 0.1, new Double(1), new Double(-0)],
    };
    expect(writeJson(text)).toBe('{"a":"\\"\\\\\\u0001\\u001F\\n/","b":[true,null,7,1,0.1,1.0,-0.0]}');
    expect(writeJson([new Double(1e21), 1e-7, new Double(Number.NaN), new Double(Number.NEGATIVE_INFINITY)])).toBe(
      '[1e21,1e-7,NaN,-Infinity]',
    );
  });
});
