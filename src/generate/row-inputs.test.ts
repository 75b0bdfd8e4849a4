import { describe, expect, it } from 'vitest';
import type { Tokenizer } from '../tokenizer.ts';
import { type InputContext, type RowInput, tokenizeRows } from './row-inputs.ts';

/** A token for each letter, 1 before a text and 2 behind it. */
const tokenizer = {
  vocabularySize: 128,
  encode: async (text: string, { addSpecialTokens }: { addSpecialTokens: boolean }) =>
    Int32Array.from(addSpecialTokens ? [1, ...Buffer.from(text), 2] : Buffer.from(text)),
  count: async (text: string) => text.length + 2,
  decode: async (ids: ArrayLike<number>) => Buffer.from(Array.from(ids).filter((id) => id > 2)).toString(),
  unknownIds: async (ids: readonly number[]) => ids.filter((id) => id > 127),
  encodePair: async (first: string, second: string, { mostOfSecond }: { mostOfSecond?: number }) => ({
    ids: Int32Array.from(Buffer.from(first + second.slice(0, mostOfSecond))),
  }),
} as unknown as Tokenizer;

const rowsOf = (takes: 'text' | 'ids' | 'either', input: RowInput, more: Partial<InputContext> = {}) =>
  tokenizeRows(
    [input],
    {
      name: 'm',
      contract: { takes, counts: false },
      tokenizer,
      longest: undefined,
      field: 'input',
      pathOf: (row) => `input[${row}]`,
      ...more,
    },
    new AbortController().signal,
  );
const none = { tokenizer: undefined };
const pair = { pair: ['ab', 'cdef'], mostOfSecond: undefined } as const;

describe('tokenizeRows', () => {
  it.each<[string, Parameters<typeof rowsOf>, object, number | undefined]>([
    ['a text', ['text', { text: 'ab' }], { texts: ['ab'] }, 4],
    ['a text that nobody counts', ['text', { text: 'ab' }, none], { texts: ['ab'] }, undefined],
    [
      'a text that the backend counts',
      ['either', { text: 'ab' }, { contract: { takes: 'either', counts: true } }],
      { texts: ['ab'] },
      undefined,
    ],
    ['the tokens of a text', ['ids', { text: 'ab' }], { ids: Int32Array.of(1, 97, 98, 2) }, 4],
    ['ids', ['either', { ids: [97, 98] }], { ids: Int32Array.of(97, 98) }, 2],
    ['the text of ids', ['text', { ids: [1, 97, 98, 2] }], { texts: ['ab'] }, 4],
    ['a pair of texts', ['text', pair], { texts: ['ab', 'cdef'] }, 6],
    ['a pair of texts, cut', ['text', { ...pair, mostOfSecond: 1 }], { texts: ['ab', 'c'] }, 3],
    ['a pair of texts that nobody counts', ['text', pair, none], { texts: ['ab', 'cdef'] }, undefined],
    ['the tokens of a pair, cut', ['ids', { ...pair, mostOfSecond: 1 }], { ids: Int32Array.of(97, 98, 99) }, 3],
  ])('sends %s', async (_, sent, row, tokens) => {
    expect(await rowsOf(...sent)).toEqual({ rows: [row], tokens: [tokens] });
  });

  const noTokenizer = 'This model takes token ids and has no usable tokenizer. Set one with --tokenizer.';
  it.each<[string, Parameters<typeof rowsOf>, string, string]>([
    [
      'a text past the limit',
      ['text', { text: 'ab' }, { longest: 3 }],
      'context_length_exceeded',
      'input[0]: has 4 tokens; this model takes 3. Shorten it.',
    ],
    [
      'a pair past the limit',
      ['ids', pair, { longest: 5, tooLong: { counted: 'tokens together', remedy: 'Cut it.' } }],
      'context_length_exceeded',
      'input[0]: has 6 tokens together; this model takes 5. Cut it.',
    ],
    [
      'an unknown id',
      ['ids', { ids: [128] }],
      'invalid_request',
      "input[0]: the token id 128 is not in this model's vocabulary of 128 tokens.",
    ],
    [
      'ids without a tokenizer',
      ['text', { ids: [97] }, none],
      'invalid_request',
      'input[0]: token ids need a tokenizer for this model; start Conch with --tokenizer m=DIR, or send text.',
    ],
    [
      'ids that no text has',
      ['text', { ids: [2, 97] }],
      'invalid_request',
      'input[0]: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
    ],
    ['a text without a tokenizer', ['ids', { text: 'ab' }, none], 'model_not_ready', noTokenizer],
    ['a pair without a tokenizer', ['ids', pair, none], 'model_not_ready', noTokenizer],
  ])('refuses %s', async (_, sent, code, message) => {
    await expect(rowsOf(...sent)).rejects.toMatchObject({ code, message });
  });
});
