import { expect, it } from 'vitest';
import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { withTokenBytes } from './token-bytes.ts';

function tableOf(tokens: readonly (readonly number[] | undefined)[]): TokenTable {
  const lengths = tokens.map((bytes = []) => bytes.length);
  const offsets = Uint32Array.from([0, ...lengths.map((_, id) => lengths.slice(0, id + 1).reduce((a, b) => a + b))]);
  const kinds = Uint8Array.from(tokens, (bytes) => (bytes === undefined ? tokenKind.absent : 0));
  return { kinds, inside: { bytes: Uint8Array.from(tokens.flatMap((bytes = []) => bytes)), offsets } };
}

const table = tableOf([[0xe2, 0x80], [0x8d], [0x20, 0x61], undefined, [0xef, 0xbf, 0xbd]]);
const choice = (id: number, text: string) => ({ id, text, logprob: -1 });
const read = (id: number, text: string) => withTokenBytes(table, [{ ...choice(id, text), top: [] }])[0];

it.each([
  ['a part of a character', 0, '\uFFFD', '\uFFFD', [0xe2, 0x80]],
  ['the rest of it', 1, '\uFFFD', '\uFFFD', [0x8d]],
  ['a token whose space the backend dropped', 2, 'a', ' a', [0x20, 0x61]],
  ['the character U+FFFD itself', 4, '\uFFFD', '\uFFFD', [0xef, 0xbf, 0xbd]],
])('gives the text and bytes of %s', (_, id, text, own, bytes) => {
  expect(read(id, text)).toEqual({ ...choice(id, own), bytes: Uint8Array.from(bytes), top: [] });
});

it.each([
  ['an id without a token', 3, '\uFFFD'],
  ['an id outside the table', 99, '\uFFFD'],
  ['a token that the backend writes otherwise', 2, 'another'],
  ['a part of a character that the backend knows as a whole one', 0, 'a'],
])('leaves %s as it is', (_, id, text) => {
  expect(read(id, text)).toEqual({ ...choice(id, text), top: [] });
});

it('names the alternatives in the same way', () => {
  const [token] = withTokenBytes(table, [{ ...choice(2, ' a'), top: [choice(2, ' a'), choice(0, '\uFFFD')] }]);
  expect(token?.top.map(({ bytes }) => [...(bytes ?? [])])).toEqual([
    [0x20, 0x61],
    [0xe2, 0x80],
  ]);
});
