import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type TokenBytes, type TokenTable, tokenKind } from '../tokenizer.ts';
import { Detokenizer, tokenBytes, tokenText } from './detokenizer.ts';

type Row = readonly [bytes: string | readonly number[], kind?: number];

function tokenBytesOf(rows: readonly Row[]): TokenBytes {
  const parts = rows.map(([bytes]) => Buffer.from(bytes as string));
  const offsets = Uint32Array.from([0, ...parts.map((_, at) => Buffer.concat(parts.slice(0, at + 1)).length)]);
  return { bytes: Uint8Array.from(Buffer.concat(parts)), offsets };
}

function tableOf(rows: readonly Row[], rest: Partial<TokenTable> = {}): TokenTable {
  return { kinds: Uint8Array.from(rows, ([, kind = 0]) => kind), inside: tokenBytesOf(rows), ...rest };
}

/** What each token gives, and at last what was held back. */
function run(table: TokenTable, ids: readonly number[], skipSpecialTokens = true): string[] {
  const detokenizer = new Detokenizer(table, { skipSpecialTokens });
  return [...ids.map((id) => detokenizer.push(id)), detokenizer.flush()];
}

/** All sequences of up to `length` numbers below `count`. */
function sequences(count: number, length: number): number[][] {
  let last: number[][] = [[]];
  const all = [...last];
  for (let at = 0; at < length; at++) {
    last = last.flatMap((sequence) => Array.from({ length: count }, (_, next) => [...sequence, next]));
    all.push(...last);
  }
  return all;
}

function commonBeginning(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one.slice(0, at);
}

describe('the detokenizer', () => {
  const bytes = [0x41, 0x80, 0x90, 0xa0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4, 0xff];
  const kinds: [name: string, kind: number, whole: (sequence: number[]) => string][] = [
    ['byte-level BPE', tokenKind.part, (sequence) => Buffer.from(sequence).toString()],
    [
      'byte fallback',
      tokenKind.byte,
      (run) => (isUtf8(Buffer.from(run)) ? Buffer.from(run).toString() : '\uFFFD'.repeat(run.length)),
    ],
  ];

  it('gives the same text wherever the bytes of it are cut into tokens', () => {
    const text = 'It is 👩‍👩‍👧‍👦, 東京, مرحبا, Z͑ͫ̓, e\u0301:\n\tif x:\n        return  {}\n';
    const whole = [...Buffer.from(text)];
    for (let first = 0; first <= whole.length; first++)
      for (const second of [first, Math.min(first + 1, whole.length), Math.min(first + 5, whole.length)]) {
        const cut = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
        const pieces = cut.filter((piece) => piece.length > 0);
        const table = tableOf(pieces.map((piece): Row => [piece, isUtf8(Buffer.from(piece)) ? 0 : tokenKind.part]));
        expect(run(table, [...pieces.keys()]).join('')).toBe(text);
      }
  });

  it('keeps the space that begins a text that goes on with another', () => {
    const table = tableOf([[' one'], [' two']], { strip: { character: ' ', most: 1 } });
    expect(run(table, [0, 1]).join('')).toBe('one two');
    const going = new Detokenizer(table, { skipSpecialTokens: true, continuesText: true });
    expect(going.push(0) + going.push(1) + going.flush()).toBe(' one two');
  });

  it.each(kinds)('gives at once all that no next token can change: %s', (_, kind, decode) => {
    const table = tableOf(bytes.map((byte) => [[byte], kind]));
    // The first four bytes complete every character that the others begin, and break every text.
    const continuations = sequences(4, 3);
    const whole = (ids: number[]) => decode(ids.map((id) => bytes[id] ?? 0));
    const wrong = sequences(bytes.length, 3).filter((ids) => {
      const pieces = run(table, ids);
      const texts = continuations.map((more) => whole([...ids, ...more]));
      const certain = texts.reduce(commonBeginning);
      return pieces.slice(0, -1).join('') !== certain || pieces.join('') !== whole(ids);
    });
    expect(wrong).toEqual([]);
  });

  it('waits for the character that several tokens share', () => {
    const table = tableOf([
      [[0x20, 0xf0, 0x9f], tokenKind.part],
      [[0x98], tokenKind.part],
      [[0x80, 0x21], tokenKind.part],
      [[], tokenKind.part],
      ['x'],
    ]);
    expect(run(table, [0, 1, 3, 2, 4])).toEqual([' ', '', '', '😀!', 'x', '']);
    expect(run(table, [0, 4, 0])).toEqual([' ', '\uFFFDx', ' ', '\uFFFD']);
  });

  it('takes a run of byte tokens for text only when it is over and all of it is UTF-8', () => {
    const table = tableOf([...[0xe4, 0xb8, 0xad, 0xff].map((byte): Row => [[byte], tokenKind.byte]), ['x'], ['']]);
    expect(run(table, [0, 1, 2, 0, 1, 2, 4])).toEqual(['', '', '', '', '', '', '中中x', '']);
    expect(run(table, [0, 1, 2, 3, 0, 4, 0, 1, 2])).toEqual(['', '', '', '����', '�', 'x', '', '', '', '中']);
    expect(run(table, [0, 1, 4])).toEqual(['', '', '��x', '']);
    expect(run(table, [0, 5, 1, 2])).toEqual(['', '�', '�', '�', '']);
    expect(
      run(
        table,
        Array.from({ length: 120 }, (_, at) => at % 3),
      ).join(''),
    ).toBe('中'.repeat(40));
  });

  it('leaves out special tokens as if they were not there', () => {
    const table = tableOf([
      [[0xe4], tokenKind.byte],
      [[0xb8], tokenKind.byte],
      [[0xad], tokenKind.byte],
      ['<s>', 2],
    ]);
    expect(run(table, [0, 3, 1, 2, 3], true)).toEqual(['', '', '', '', '', '中']);
    expect(run(table, [0, 3, 1], false)).toEqual(['', '�<s>', '�', '']);
  });

  it('gives nothing for unknown ids', () => {
    const table = tableOf([['a'], ['', tokenKind.absent]]);
    expect(run(table, [0, 1, 2, -1, 4_294_967_295, Number.NaN, 0])).toEqual(['a', '', '', '', '', '', 'a', '']);
  });

  it('strips the beginning of the whole text, and no other', () => {
    const table = tableOf([[' a'], [' '], ['  b'], [[0x20], tokenKind.byte], ['']], {
      strip: { character: ' ', most: 1 },
    });
    expect(run(table, [0, 0])).toEqual(['a', ' a', '']);
    expect(run(table, [4, 1, 0])).toEqual(['', '', ' a', '']);
    expect(run(table, [2, 0])).toEqual([' b', ' a', '']);
    expect(run(table, [3, 0])).toEqual(['', ' a', '']);
    expect(run(table, [3])).toEqual(['', '']);
    const twice = { ...table, strip: { character: ' ', most: 2 } };
    expect(run(twice, [1, 1, 1, 0])).toEqual(['', '', ' ', ' a', '']);
    expect(run(twice, [0, 0])).toEqual(['a', ' a', '']);
  });

  it('knows the first token from the others', () => {
    const rows: Row[] = [['<s>', tokenKind.special], [' a']];
    const table = tableOf(rows, { first: tokenBytesOf([['<s>'], ['a']]) });
    expect(run(table, [0, 1, 1], true)).toEqual(['', 'a', ' a', '']);
    expect(run(table, [0, 1, 1], false)).toEqual(['<s>', ' a', ' a', '']);
  });
});

describe('a single token', () => {
  const table = tableOf([[' a'], [[0x20, 0xf0, 0x9f], tokenKind.part], [[0x0a], tokenKind.byte]], {
    strip: { character: ' ', most: 1 },
  });

  it('has a text and bytes of its own', () => {
    expect([0, 1, 2].map((id) => tokenText(table, id))).toEqual([' a', ' �', '\n']);
    expect([0, 1, 2].map((id) => Array.from(tokenBytes(table, id)))).toEqual([[32, 97], [32, 240, 159], [10]]);
  });

  it('has none where the id is unknown', () => {
    const ids = [-1, 3, 4, 0.5];
    expect(ids.map((id) => tokenText(table, id))).toEqual(['', '', '', '']);
    expect(ids.map((id) => tokenBytes(table, id).length)).toEqual([0, 0, 0, 0]);
  });
});
