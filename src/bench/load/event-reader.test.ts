import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventReader } from './event-reader.ts';

function read(pieces: readonly Buffer[]): { data: string[]; rest: string[] } {
  const data: string[] = [];
  const reader = new EventReader((text) => data.push(text));
  for (const piece of pieces) reader.push(piece);
  const rest = data.length;
  reader.end();
  return { data: data.slice(0, rest), rest: data.slice(rest) };
}

const stream =
  ': a comment\n\ndata: {"a":"ä€😀"}\n\ndata:no space\n\nevent: x\ndata: two\ndata: lines\nid: 7\n\ndata\n\ndata: [DONE]\n\n';
const expected = { data: ['{"a":"ä€😀"}', 'no space', 'two\nlines', '', '[DONE]'], rest: [] };

describe('EventReader', () => {
  it('gives the same events wherever the bytes are cut', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(stream.replaceAll('\n', end));
      for (let at = 0; at <= bytes.length; at++)
        expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
      expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
    }
  });

  it('gives back any texts, cut anywhere', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' ')));
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    fc.assert(
      fc.property(texts, cuts, (data, locations) => {
        const bytes = Buffer.from(data.map((text) => `data: ${text}\n\n`).join(''));
        const sorted = [0, ...locations.toSorted((a, b) => a - b), bytes.length];
        const pieces = sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
        expect(read(pieces)).toEqual({ data, rest: [] });
      }),
    );
  });

  it('emits an incomplete event at the end', () => {
    expect(read([Buffer.from('data: a\n')])).toEqual({ data: [], rest: ['a'] });
    expect(read([Buffer.from('data: a')])).toEqual({ data: [], rest: ['a'] });
    expect(read([Buffer.from('data: a\n\ndata: b\ndata: c')])).toEqual({ data: ['a'], rest: ['b\nc'] });
  });
});
