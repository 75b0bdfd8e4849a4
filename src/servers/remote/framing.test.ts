import { describe, expect, it } from 'vitest';
import { frame, MessageReader } from './framing.ts';

const messages = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('the third one')];
const stream = Buffer.concat(messages.map((message) => frame(message)));

function read(pieces: readonly Buffer[]): string[] {
  const reader = new MessageReader(100);
  const seen: string[] = [];
  for (const piece of pieces)
    reader.push(piece, 0, piece.length, (bytes, from, to) => seen.push(bytes.toString('utf8', from, to)));
  expect(reader.isInsideMessage).toBe(false);
  return seen;
}

describe('MessageReader', () => {
  it('finds the same messages wherever the stream is cut', () => {
    const expected = ['first', '', 'the third one'];
    for (let first = 0; first <= stream.length; first++)
      for (let second = first; second <= stream.length; second++)
        expect(read([stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)])).toEqual(
          expected,
        );
    expect(read([...stream].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it('says that it stands inside a message', () => {
    const reader = new MessageReader(100);
    reader.push(stream, 0, 7, () => undefined);
    expect(reader.isInsideMessage).toBe(true);
  });

  it('refuses a message that is larger than allowed before it is read', () => {
    const reader = new MessageReader(4);
    expect(() => reader.push(stream, 0, 5, () => undefined)).toThrow(
      'The server sent a message of 5 bytes, more than the 4 allowed.',
    );
  });

  it('refuses a compressed message', () => {
    expect(() => new MessageReader(100).push(Buffer.of(1, 0, 0, 0, 0), 0, 5, () => undefined)).toThrow(/compressed/);
  });
});
