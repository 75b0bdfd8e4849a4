import { expect, it } from 'vitest';
import { CompletionLogprobsBuilder, chatLogprobs, idTokenText, plainTokenText } from './logprobs.ts';

const token = (text: string, bytes?: readonly number[]) => ({
  id: 7,
  text,
  logprob: -1,
  top: [],
  ...(bytes ? { bytes: Uint8Array.from(bytes) } : {}),
});
const zeroWidthJoiner = [token('\uFFFD', [0xe2, 0x80]), token('\uFFFD', [0x8d])] as const;

it('writes a part of a character in a chat as its escaped bytes', () => {
  const written = (text: string, bytes?: readonly number[]) => {
    const [entry] = chatLogprobs([token(text, bytes)], plainTokenText).content;
    return [entry?.token, entry?.bytes];
  };
  expect(written('\uFFFD', [0xe2, 0x80])).toEqual(['\\xe2\\x80', [0xe2, 0x80]]);
  expect(written(' \uFFFD', [0x20, 0xf0, 0x9f])).toEqual([' \\xf0\\x9f', [0x20, 0xf0, 0x9f]]);
  expect(written('\uFFFD"', [0x8d, 0x22])).toEqual(['\\x8d"', [0x8d, 0x22]]);
  expect(written('é', [0xc3, 0xa9])).toEqual(['é', [0xc3, 0xa9]]);
  expect(written('\uFFFD', [0xef, 0xbf, 0xbd])).toEqual(['\uFFFD', [0xef, 0xbf, 0xbd]]);
  expect(written('é')).toEqual(['é', [0xc3, 0xa9]]);
  expect(written('\uFFFD')).toEqual(['\uFFFD', null]);
});

it('writes it in a completion with the word in front, at the offset of its character', () => {
  const builder = new CompletionLogprobsBuilder(plainTokenText);
  const [first, second] = zeroWidthJoiner;
  expect(builder.build([token('a', [0x61]), { ...first, top: [second] }])).toEqual({
    tokens: ['a', 'bytes:\\xe2\\x80'],
    token_logprobs: [-1, -1],
    top_logprobs: [{ a: -1 }, { 'bytes:\\xe2\\x80': -1, 'bytes:\\x8d': -1 }],
    text_offset: [0, 1],
  });
  expect(builder.build([second, token('b', [0x62])])).toMatchObject({
    tokens: ['bytes:\\x8d', 'b'],
    text_offset: [1, 2],
  });
});

it('counts the characters of texts where the bytes are unknown', () => {
  const builder = new CompletionLogprobsBuilder(plainTokenText);
  expect(builder.build([token('a'), token('\uFFFD'), token('bc'), token('d')]).text_offset).toEqual([0, 1, 2, 4]);
});

it('writes token ids if requested', () => {
  const builder = new CompletionLogprobsBuilder(idTokenText);
  expect(builder.build(zeroWidthJoiner).tokens).toEqual(['token_id:7', 'token_id:7']);
});
