import { describe, expect, it } from 'vitest';
import type { ModelBinding } from './engine-types.ts';
import { cutBetweenWords, Detokenizer, Vocabulary } from './vocabulary.ts';

const normal = 4;
const control = 8;
const userDefined = 16;
const byte = 32;

function vocabulary(kind: string, tokens: readonly (readonly [string, number])[]): Vocabulary {
  const model = {
    getTokenString: (id: number) => tokens[id]?.[0] ?? '',
    getTokenAttributes: (id: number) => tokens[id]?.[1] ?? 0,
    isEogToken: (id: number) => tokens[id]?.[0] === '</s>',
    shouldPrependBosToken: () => false,
    shouldAppendEosToken: () => false,
  } as unknown as ModelBinding;
  return new Vocabulary(model, { size: tokens.length, kind });
}

describe('Vocabulary', () => {
  it('knows the bytes of byte-level tokens', () => {
    const tokens = vocabulary('gpt2', [
      ['Ġhello', normal],
      ['ðŁ', normal],
      ['¦', normal],
      ['Ĭ', normal],
      ['<|é|>', userDefined],
      ['</s>', control],
    ]);
    expect(tokens.text(0)).toBe(' hello');
    expect(Buffer.concat([1, 2, 3].map((id) => tokens.bytes(id))).toString()).toBe('🦊');
    expect(tokens.text(1)).toContain('\uFFFD');
    expect(tokens.text(4)).toBe('<|é|>');
    expect(tokens.ends).toEqual(new Set([5]));
    expect(tokens.bytes(99)).toHaveLength(0);
  });

  it('knows the bytes of SentencePiece tokens', () => {
    const tokens = vocabulary('llama', [
      ['▁hello', normal],
      ['<0xF0>', byte],
      ['<0x9F>', byte],
      ['<0xA6>', byte],
      ['<0x8A>', byte],
      ['▁▁', normal],
    ]);
    expect(tokens.text(0)).toBe(' hello');
    expect(Buffer.concat([1, 2, 3, 4].map((id) => tokens.bytes(id))).toString()).toBe('🦊');
    expect(tokens.text(5)).toBe('  ');
  });
});

describe('Detokenizer', () => {
  const tokens = vocabulary('llama', [
    ['▁a', normal],
    ['<0xE2>', byte],
    ['<0x82>', byte],
    ['<0xAC>', byte],
    ['</s>', control],
    ['é', normal],
  ]);

  it('waits for the rest of a character and hides markers', () => {
    const detokenizer = new Detokenizer(tokens, { skipSpecialTokens: true });
    expect([0, 1, 2, 3, 4, 5].map((id) => detokenizer.push(id))).toEqual([' a', '', '', '€', '', 'é']);
  });

  it('shows markers when asked, and a character that is broken for good as U+FFFD', () => {
    const detokenizer = new Detokenizer(tokens, { skipSpecialTokens: false });
    expect([1, 2, 0, 4].map((id) => detokenizer.push(id)).join('')).toBe('\uFFFD a</s>');
  });
});

describe('cutBetweenWords', () => {
  it('cuts before a single space between letters, and nowhere else', () => {
    const text = 'one two  three\nfour five, six seven';
    expect(cutBetweenWords(text, 4)).toEqual(['one two  three\nfour', ' five, six', ' seven']);
    expect(cutBetweenWords('nospaceshere'.repeat(3), 4)).toHaveLength(1);
    expect(cutBetweenWords('', 4)).toEqual(['']);
    for (const length of [1, 3, 7, 20]) expect(cutBetweenWords(text, length).join('')).toBe(text);
  });
});
