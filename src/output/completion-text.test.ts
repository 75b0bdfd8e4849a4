import { describe, expect, it } from 'vitest';
import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { CompletionText } from './completion-text.ts';

/** A vocabulary of these texts; `special` ones give no text, and a list of bytes is a part of a character. */
function tableOf(tokens: readonly (string | number[])[], special: readonly number[] = []): TokenTable {
  const bytes = tokens.map((token) => Buffer.from(token as string));
  const offsets = Uint32Array.from([0, ...bytes]);
  let at = 0;
  bytes.forEach((piece, id) => {
    at += piece.length;
    offsets[id + 1] = at;
  });
  const kinds = Uint8Array.from(tokens, (token, id) => {
    if (special.includes(id)) return tokenKind.special;
    return typeof token === 'string' ? 0 : tokenKind.part;
  });
  return { kinds, inside: { bytes: Buffer.concat(bytes), offsets } };
}

const euro = [...Buffer.from('€')];
const table = tableOf(['one', ' two', ' EN', 'D', ' three', euro.slice(0, 2), euro.slice(2), '</s>'], [7]);
const plain = { stops: [], keepsStop: false, table, skipSpecialTokens: true, continuesText: false };
const logprob = (id: number) => ({ id, logprob: -id, top: [{ id: 0, logprob: -9 }] });

/** All that an answer gives, with its tokens pushed in groups. */
function run(text: CompletionText, groups: readonly (readonly number[])[]) {
  const steps = [];
  for (const ids of groups) {
    if (!text.isStopped) steps.push(text.pushIds(ids, ids.map(logprob)));
  }
  steps.push(text.end());
  return {
    text: steps.map((step) => step.text).join(''),
    tokens: steps.reduce((sum, step) => sum + step.tokens, 0),
    logprobs: steps.flatMap((step) => step.logprobs ?? []).map(({ id }) => id),
    isStopped: text.isStopped,
  };
}

/** The ways to cut a list in two. */
const cuts = (ids: readonly number[]) => ids.map((_, at) => [ids.slice(0, at), ids.slice(at)]);

describe('CompletionText', () => {
  it('makes text of tokens however they are grouped, and holds a character until it is whole', () => {
    for (const groups of cuts([0, 1, 5, 6, 7]))
      expect(run(new CompletionText(plain), groups)).toEqual({
        text: 'one two€',
        tokens: 5,
        logprobs: [0, 1, 5, 6, 7],
        isStopped: false,
      });
    const text = new CompletionText(plain);
    expect(text.pushIds([0, 5], undefined)).toEqual({ text: 'one', tokens: 2, logprobs: undefined });
    expect(text.pushIds([6], undefined)).toEqual({ text: '€', tokens: 1, logprobs: undefined });
  });

  it('ends at a stop sequence across tokens, without it, and without the tokens that begin in it', () => {
    for (const groups of cuts([0, 1, 2, 3, 4]))
      expect(run(new CompletionText({ ...plain, stops: ['END'] }), groups)).toEqual({
        text: 'one two ',
        tokens: 4,
        logprobs: [0, 1, 2],
        isStopped: true,
      });
    for (const groups of cuts([0, 1, 2, 3, 4]))
      expect(run(new CompletionText({ ...plain, stops: [' END'] }), groups)).toMatchObject({ logprobs: [0, 1] });
  });

  it('keeps the stop sequence where the request says so', () => {
    expect(run(new CompletionText({ ...plain, stops: ['END'], keepsStop: true }), [[0, 2, 3, 4]])).toEqual({
      text: 'one END',
      tokens: 3,
      logprobs: [0, 2, 3],
      isStopped: true,
    });
  });

  it('gives what only looked like a stop sequence, and the tokens with it', () => {
    const text = new CompletionText({ ...plain, stops: [' ENDE'] });
    const held = { text: 'one', tokens: 3, logprobs: [expect.objectContaining({ id: 0 })] };
    expect(text.pushIds([0, 2, 3], [0, 2, 3].map(logprob))).toEqual(held);
    expect(text.end()).toMatchObject({ text: ' END', tokens: 0, logprobs: [{ id: 2 }, { id: 3 }] });
  });

  it('finds a stop sequence in what the end of the tokens sets free', () => {
    const text = new CompletionText({ ...plain, stops: ['\uFFFD'] });
    expect(text.pushIds([0, 5], undefined).text).toBe('one');
    expect(text.end()).toEqual({ text: '', tokens: 0, logprobs: undefined });
    expect(text.isStopped).toBe(true);
  });

  it('names each token and its alternatives by text and bytes', () => {
    const { logprobs } = new CompletionText(plain).pushIds([5], [logprob(5)]);
    expect(logprobs).toEqual([
      {
        id: 5,
        logprob: -5,
        text: '\uFFFD',
        bytes: Buffer.from(euro.slice(0, 2)),
        top: [{ id: 0, logprob: -9, text: 'one', bytes: Buffer.from('one') }],
      },
    ]);
  });

  it('returns special tokens where the request says so', () => {
    expect(run(new CompletionText({ ...plain, skipSpecialTokens: false }), [[0, 7]]).text).toBe('one</s>');
  });

  it('cuts text that the backend made', () => {
    const text = new CompletionText({ ...plain, table: undefined, stops: ['END'] });
    expect([text.push('one E'), text.push('N'), text.push('D two')]).toEqual(['one ', '', '']);
    expect(text.isStopped).toBe(true);
  });

  it('disregards stop sequences that end within the first min_tokens tokens', () => {
    const minimal = (minTokens: number, stops: readonly string[], ids: readonly number[]) =>
      cuts(ids).map((groups) => run(new CompletionText({ ...plain, stops, minTokens }), groups).text);
    const every = (text: string, ids: readonly number[]) => ids.map(() => text);
    const ids = [0, 2, 3, 1, 2, 3, 4];
    expect(minimal(2, ['END'], ids)).toEqual(every('one ', ids));
    expect(minimal(3, ['END'], ids)).toEqual(every('one END two ', ids));
    expect(minimal(5, ['END', ' E'], ids)).toEqual(every('one END two ', ids));
    expect(minimal(6, ['END'], ids)).toEqual(every('one END two END three', ids));
    expect(minimal(7, ['three'], ids)).toEqual(every('one END two END three', ids));
  });

  it('finds a stop sequence that begins in the first min_tokens tokens, also after one that it disregards', () => {
    const letters = tableOf(['a', 'b', 'aa']);
    const own = { ...plain, table: letters, stops: ['aa'] };
    expect(run(new CompletionText({ ...own, minTokens: 1 }), [[2, 0, 1]])).toMatchObject({
      text: 'a',
      isStopped: true,
    });
    expect(run(new CompletionText({ ...own, minTokens: 2 }), [[0, 0, 1, 0]])).toMatchObject({
      text: 'aaba',
      isStopped: false,
    });
    expect(run(new CompletionText({ ...own, stops: ['aab'], minTokens: 2 }), [[0, 0, 1]])).toMatchObject({
      text: '',
      isStopped: true,
    });
  });

  it('cuts random texts where a search of the whole text does', () => {
    const letters = ['a', 'b', 'ab', 'ba', 'aab'];
    const table = tableOf(letters);
    const stops = ['aa', 'bab', 'abba'];
    let state = 1;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 2_000; round++) {
      const minTokens = random(6);
      const ids = Array.from({ length: random(10) }, () => random(letters.length));
      const { text } = run(new CompletionText({ ...plain, table, stops, minTokens }), [ids]);
      expect(text).toBe(
        searched(
          ids.map((id) => letters[id] ?? ''),
          stops,
          minTokens,
        ),
      );
    }
  });

  it('does not count the tokens of text that the backend made', () => {
    const text = new CompletionText({ ...plain, table: undefined, stops: ['END'], minTokens: 5 });
    expect(text.push('one two three four five six seven END')).toBe('one two three four five six seven ');
    expect(text.isStopped).toBe(true);
  });
});

/** The text before the first stop sequence that ends after the first `minTokens` tokens. */
function searched(pieces: readonly string[], stops: readonly string[], minTokens: number): string {
  const text = pieces.join('');
  for (let end = pieces.slice(0, minTokens).join('').length + 1; end <= text.length; end++) {
    const found = stops.filter((stop) => text.slice(0, end).endsWith(stop)).toSorted((a, b) => b.length - a.length)[0];
    if (found !== undefined) return text.slice(0, end - found.length);
  }
  return text;
}
