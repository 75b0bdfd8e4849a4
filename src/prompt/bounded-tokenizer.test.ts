import { describe, expect, it } from 'vitest';
import type { Tokenizer } from '../tokenizer.ts';
import { boundedTokenizer } from './bounded-tokenizer.ts';

const options = { addSpecialTokens: false };

/** A tokenizer that counts characters, and how many texts it is at together. */
function counter() {
  const seen = { now: 0, most: 0, texts: 0 };
  const count = async (text: string) => {
    seen.texts++;
    seen.most = Math.max(seen.most, ++seen.now);
    await new Promise((resolve) => setImmediate(resolve));
    seen.now--;
    return text.length;
  };
  const encodePair = async (first: string, second: string) => ({
    ids: new Int32Array(first.length + second.length),
    types: new Int32Array(0),
  });
  return { tokenizer: { count, encodePair } as unknown as Tokenizer, seen };
}

describe('a bounded tokenizer', () => {
  it('refuses what is too long, in bytes, before it looks at it', async () => {
    const { tokenizer, seen } = counter();
    const bounded = boundedTokenizer(tokenizer, () => 100_000);
    expect(await bounded.count('a'.repeat(100_000), options)).toBe(100_000);
    const fault = {
      code: 'context_length_exceeded',
      message: 'A text of 200000 bytes is more than is turned into tokens here: at most 100000 (--max-prompt-size).',
    };
    await expect(bounded.count('é'.repeat(100_000), options)).rejects.toMatchObject(fault);
    await expect(bounded.encodePair?.('a'.repeat(100_000), 'b'.repeat(100_000), {})).rejects.toMatchObject(fault);
    expect(seen.texts).toBe(1);
  });

  it('is at two large texts at a time, and at as many small ones as there are', async () => {
    const { tokenizer, seen } = counter();
    const bounded = boundedTokenizer(tokenizer, () => 1_000_000);
    await Promise.all(Array.from({ length: 6 }, () => bounded.count('a'.repeat(70_000), options)));
    expect(seen).toEqual({ now: 0, most: 2, texts: 6 });
    await Promise.all(Array.from({ length: 6 }, () => bounded.count('a', options)));
    expect(seen).toEqual({ now: 0, most: 6, texts: 12 });
  });

  it('does not begin with a text that nobody waits for', async () => {
    const { tokenizer, seen } = counter();
    const bounded = boundedTokenizer(tokenizer, () => 1_000_000);
    const gone = bounded.count('a'.repeat(70_000), { ...options, signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(seen.texts).toBe(0);
  });
});
