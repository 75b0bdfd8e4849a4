import { describe, expect, it } from 'vitest';
import type { Tokenizer } from '../tokenizer.ts';
import { boundedTokenizer, TaskLimiter, textLimiters } from './bounded-tokenizer.ts';

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
    const error = {
      code: 'context_length_exceeded',
      message: 'The text has 200000 bytes; Conch tokenizes at most 100000 (--max-prompt-size). Shorten it.',
    };
    await expect(bounded.count('é'.repeat(100_000), options)).rejects.toMatchObject(error);
    await expect(bounded.encodePair?.('a'.repeat(100_000), 'b'.repeat(100_000), {})).rejects.toMatchObject(error);
    expect(seen.texts).toBe(1);
  });

  it('leaves a core free, is at two large texts at most, and at as many short ones as there are', async () => {
    const atATime = (cores: number): Promise<number[]> =>
      Promise.all(
        [70_000, 10_000, 4096].map(async (length) => {
          const { tokenizer, seen } = counter();
          const bounded = boundedTokenizer(tokenizer, () => 1_000_000, textLimiters(cores));
          await Promise.all(Array.from({ length: 6 }, () => bounded.count('a'.repeat(length), options)));
          expect(seen).toMatchObject({ now: 0, texts: 6 });
          return seen.most;
        }),
      );
    expect(await Promise.all([1, 2, 4, 64].map(atATime))).toEqual([
      [1, 1, 6],
      [1, 1, 6],
      [2, 3, 6],
      [2, 6, 6],
    ]);
  });

  it('lets no text wait for one that is much longer', async () => {
    const { tokenizer, seen } = counter();
    const bounded = boundedTokenizer(tokenizer, () => 1_000_000, textLimiters(2));
    await Promise.all([70_000, 10_000, 1].map((length) => bounded.count('a'.repeat(length), options)));
    expect(seen).toEqual({ now: 0, most: 3, texts: 3 });
  });

  it('does not start with a text whose request was cancelled', async () => {
    const { tokenizer, seen } = counter();
    const bounded = boundedTokenizer(tokenizer, () => 1_000_000);
    const closed = bounded.count('a'.repeat(70_000), { ...options, signal: AbortSignal.abort() });
    await expect(closed).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(seen.texts).toBe(0);
  });
});

/** A work that ends when it is told to. */
function work(name: string, started: string[]) {
  let end = (): void => undefined;
  const promise = new Promise<string>((resolve) => {
    end = () => resolve(name);
  });
  const begin = () => {
    started.push(name);
    return promise;
  };
  return { begin, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('are taken by so many at a time, in order', async () => {
    const turns = new TaskLimiter(2);
    const started: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map((name) => work(name, started));
    const results = works.map(({ begin }) => turns.take(begin));
    await settled();
    expect(started).toEqual(['a', 'b']);
    works[1]?.end();
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const { end } of works) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('go on after a work that failed', async () => {
    const turns = new TaskLimiter(1);
    await expect(turns.take(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.take(async () => 'fine')).toBe('fine');
  });

  it('are not waited for by those who left', async () => {
    const turns = new TaskLimiter(1);
    const started: string[] = [];
    const [first, left, last] = [work('first', started), work('left', started), work('last', started)] as const;
    const controller = new AbortController();
    const one = turns.take(first.begin);
    const two = turns.take(left.begin, controller.signal);
    const three = turns.take(last.begin);
    controller.abort();
    await expect(two).rejects.toMatchObject({ code: 'client_closed_request' });
    first.end();
    last.end();
    expect(await Promise.all([one, three])).toEqual(['first', 'last']);
    expect(started).toEqual(['first', 'last']);
  });
});
