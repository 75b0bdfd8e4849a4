import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { oneByteText } from './one-byte-text.mjs';

/** @param {string} code */
const valueOf = (code) => new Script(code).runInThisContext();

describe('a program of one-byte characters', () => {
  it.each([
    `'→ ü €'`,
    '`„${1 + 1}“ 😀`',
    String.raw`'\\…'`,
    `/[一-龥]+/.exec('漢字')[0]`,
    `/^[😀-😎]$/u.test('😃')`,
    `/[\\u4e00…]/.test('…')`,
    `({ größe: 1, 名: 2 })`,
    `1 /* … */ + 2 // →`,
  ])('has the same value: %s', (code) => {
    const text = oneByteText(code);
    expect(text).toMatch(/^[\0-\xff]*$/);
    expect(valueOf(`(${text}\n)`)).toEqual(valueOf(`(${code}\n)`));
  });

  it('is not to be had where an escape would mean something else', () => {
    expect(() => oneByteText(String.raw`'\…'`)).toThrow('A backslash stands before "…".');
    expect(() => oneByteText('String.raw`→`')).toThrow('A raw template has a character that cannot be escaped');
  });
});
