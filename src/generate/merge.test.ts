import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

/** A stream that gives what it is told, when it is told. */
class Scripted implements AsyncIterableIterator<string[]> {
  hasReturned = false;
  #waiting: { resolve(result: IteratorResult<string[]>): void; reject(error: unknown): void } | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string[]>> {
    if (this.hasReturned) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<string[]>> {
    this.hasReturned = true;
    this.#waiting?.resolve({ done: true, value: undefined });
    return Promise.resolve({ done: true, value: undefined });
  }

  give(...value: string[]): void {
    this.#waiting?.resolve({ done: false, value });
  }

  end(): void {
    this.#waiting?.resolve({ done: true, value: undefined });
  }

  fail(error: Error): void {
    this.#waiting?.reject(error);
  }
}

describe('merge', () => {
  it('gives batches as they come and ends when all have ended', async () => {
    const [a, b] = [new Scripted(), new Scripted()];
    const merged = merge([a, b]);
    const first = merged.next();
    b.give('b1');
    expect(await first).toEqual({ done: false, value: ['b1'] });
    const second = merged.next();
    await Promise.resolve();
    a.give('a1', 'a2');
    expect(await second).toEqual({ done: false, value: ['a1', 'a2'] });
    const last = merged.next();
    await Promise.resolve();
    a.end();
    await new Promise(setImmediate);
    b.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('gives what came before a fault, then throws it, and ends the other streams', async () => {
    const [a, b] = [new Scripted(), new Scripted()];
    const merged = merge([a, b]);
    const first = merged.next();
    a.give('kept');
    b.fail(new Error('broken'));
    expect(await first).toEqual({ done: false, value: ['kept'] });
    await expect(merged.next()).rejects.toThrow('broken');
    expect(a.hasReturned).toBe(true);
  });

  it('ends every stream when the reader leaves', async () => {
    const [a, b] = [new Scripted(), new Scripted()];
    const merged = merge([a, b]);
    const first = merged.next();
    a.give('a1');
    await first;
    await merged.return();
    expect([a.hasReturned, b.hasReturned]).toEqual([true, true]);
  });
});
