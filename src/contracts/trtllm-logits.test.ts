import { describe, expect, it } from 'vitest';
import { logprobOf } from './trtllm-logits.ts';

describe('logprobOf', () => {
  const close = (value: number) => expect.closeTo(value, 5);

  it('is the logarithm of a share, however high the logits are', () => {
    const shares = [0.1, 0.2, 0.3, 0.4];
    for (const height of [0, 1000, -1000]) {
      const logits = Float32Array.from(shares, (share) => Math.log(share) + height);
      const { logprob } = logprobOf(logits, { id: 1, top: 0, vocabulary: 4 });
      expect(logprob).toBeCloseTo(Math.log(0.2), 3);
    }
  });

  it('names the likeliest, the likeliest first, of equal ones the lower id', () => {
    const logits = Float32Array.of(1, 3, 0, 3, 2);
    const { top } = logprobOf(logits, { id: 0, top: 3, vocabulary: 5 });
    expect(top.map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(top[0]?.logprob).toBeGreaterThan(top[2]?.logprob ?? 0);
    expect(logprobOf(logits, { id: 0, top: 9, vocabulary: 5 }).top.map(({ id }) => id)).toEqual([1, 3, 4, 0, 2]);
  });

  it('knows no ids that only fill up the vocabulary', () => {
    const logits = Float32Array.of(0, 0, 99);
    const half = close(Math.log(1 / 2));
    expect(logprobOf(logits, { id: 0, top: 9, vocabulary: 2 })).toEqual({
      id: 0,
      logprob: half,
      top: [
        { id: 0, logprob: half },
        { id: 1, logprob: half },
      ],
    });
  });

  it('writes what JSON has no number for as OpenAI does', () => {
    const logits = Float32Array.of(0, Number.NEGATIVE_INFINITY);
    expect(logprobOf(logits, { id: 1, top: 0, vocabulary: 2 }).logprob).toBe(-9999);
    expect(logprobOf(logits, { id: 7, top: 0, vocabulary: 2 }).logprob).toBe(-9999);
  });
});
