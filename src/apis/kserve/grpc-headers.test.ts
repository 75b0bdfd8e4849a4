import { describe, expect, it } from 'vitest';
import { deadlineOf, encodedMessage, metadataOf } from './grpc-headers.ts';

describe('headers', () => {
  it('carry deadlines in every unit', () => {
    const deadlines = ['2H', '3M', '4S', '5m', '6000u', '7n', '5x', '', '123456789S'].map((value) =>
      deadlineOf({ 'grpc-timeout': value }),
    );
    expect(deadlines).toEqual([7_200_000, 180_000, 4000, 5, 6, 1, undefined, undefined, undefined]);
  });

  it('pass on what belongs to the request', () => {
    const headers = { ':path': '/x', te: 'trailers', 'grpc-timeout': '1S', 'user-agent': 'u', 'x-own': ['a', 'b'] };
    expect(metadataOf(headers)).toEqual({ 'x-own': 'a, b' });
  });

  it('carry any text, also one with spaces at its ends', () => {
    expect(encodedMessage(' 100% ä\n ')).toBe('%20100%25 %C3%A4%0A%20');
    expect(encodedMessage('x'.repeat(10_000))).toHaveLength(7000);
  });
});
