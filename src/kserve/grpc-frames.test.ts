import { describe, expect, it } from 'vitest';
import { FrameReader, frames } from './grpc-frames.ts';

const messages = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('the third one')];
const stream = frames(messages);

function read(pieces: readonly Buffer[]): string[] {
  const reader = new FrameReader('server', 100);
  const seen: string[] = [];
  for (const piece of pieces)
    reader.push(piece, 0, piece.length, (bytes, from, to) => seen.push(bytes.toString('utf8', from, to)));
  expect(reader.isInsideMessage).toBe(false);
  return seen;
}

describe('FrameReader', () => {
  it('finds the same messages wherever the stream is cut', () => {
    const expected = ['first', '', 'the third one'];
    for (let first = 0; first <= stream.length; first++)
      for (let second = first; second <= stream.length; second++)
        expect(read([stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)])).toEqual(
          expected,
        );
    expect(read([...stream].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it('reports that it is inside a message', () => {
    const reader = new FrameReader('server', 100);
    reader.push(stream, 0, 7, () => undefined);
    expect(reader.isInsideMessage).toBe(true);
  });

  it('refuses a message that is larger than allowed before it is read', () => {
    const reader = new FrameReader('server', 4);
    expect(() => reader.push(stream, 0, 5, () => undefined)).toThrow(
      'The server sent a message of 5 bytes, more than the 4 allowed.',
    );
  });

  it('refuses a compressed message of a server', () => {
    expect(() => new FrameReader('server', 100).push(Buffer.of(1, 0, 0, 0, 0), 0, 5, () => undefined)).toThrow(
      'The server sent a compressed message, which Conch did not request.',
    );
  });

  it('marks compressed messages of a client, and refuses other flags and large messages', () => {
    const seen: unknown[] = [];
    const push = (...bytes: number[]): void =>
      new FrameReader('client', 9).push(Buffer.from(bytes), 0, bytes.length, (all, from, to, isCompressed) => {
        seen.push([...all.subarray(from, to), isCompressed]);
      });
    push(1, 0, 0, 0, 1, 7, 0, 0, 0, 0, 1, 8);
    expect(seen).toEqual([
      [7, true],
      [8, false],
    ]);
    expect(() => push(2, 0, 0, 0, 1)).toThrow('Invalid gRPC message: unknown compression flag.');
    expect(() => push(0, 0, 0, 0, 10)).toThrow('Received message larger than max (10 vs. 9)');
  });
});
