import { describe, expect, it } from 'vitest';
import { deadlineOf, encodedMessage, metadataOf } from './grpc-headers.ts';
import { frames, IncomingMessages } from './grpc-messages.ts';

describe('IncomingMessages', () => {
  const stream = frames([Buffer.from('first'), Buffer.alloc(0), Buffer.from('the third one')]);

  it('finds the same messages wherever the stream is cut', () => {
    for (let first = 0; first <= stream.length; first++)
      for (let second = first; second <= stream.length; second++) {
        const messages = new IncomingMessages(100);
        const pieces = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
        const seen = pieces.flatMap((piece) => messages.push(piece)).map(({ bytes }) => bytes.toString());
        expect(seen).toEqual(['first', '', 'the third one']);
        expect(messages.isInsideMessage).toBe(false);
      }
  });

  it('marks compressed messages, and refuses others and large ones', () => {
    expect(new IncomingMessages(9).push(Buffer.of(1, 0, 0, 0, 1, 7))).toEqual([
      { bytes: Buffer.of(7), isCompressed: true },
    ]);
    expect(() => new IncomingMessages(9).push(Buffer.of(2, 0, 0, 0, 1))).toThrow(/does not begin/);
    expect(() => new IncomingMessages(9).push(Buffer.of(0, 0, 0, 0, 10))).toThrow(
      'Received message larger than max (10 vs. 9)',
    );
  });
});

describe('headers', () => {
  it('carry deadlines in every unit', () => {
    const deadlines = ['2H', '3M', '4S', '5m', '6000u', '7n', '5x', '', '123456789S'].map((given) =>
      deadlineOf({ 'grpc-timeout': given }),
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
