import { describe, expect, it } from 'vitest';
import { pngOf, sample, sampleNames } from '../../test/support/image-fixtures.ts';
import { imageHeader } from './image-header.ts';

/** What a reader makes of bytes: the header, or why there is none. */
function read(bytes: Buffer): unknown {
  try {
    return imageHeader(bytes);
  } catch (error) {
    return (error as Error).message;
  }
}

function changed(bytes: Buffer, locations: Readonly<Record<number, number>>): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, value] of Object.entries(locations)) copy[Number(at)] = value;
  return copy;
}

const damaged = expect.stringMatching(/^is a (PNG|JPEG|WebP|GIF) file that is truncated or damaged\.$/) as unknown;

describe('imageHeader', () => {
  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webpLossy', 'image/webp'],
    ['webpLossless', 'image/webp'],
    ['webpAlpha', 'image/webp'],
    ['webpAnimated', 'image/webp'],
    ['gif', 'image/gif'],
    ['gifAnimated', 'image/gif'],
  ] as const)('knows %s by its bytes', (name, type) => {
    expect(read(sample(name))).toEqual({ type, width: 3, height: 2 });
    expect(read(Buffer.concat([sample(name), Buffer.from('behind the end')]))).toEqual({ type, width: 3, height: 2 });
  });

  it.each(sampleNames)('refuses %s when it is cut anywhere before its end', (name) => {
    const whole = sample(name);
    // The reader of GIF needs the first frame alone; what follows it may be missing.
    const needed = { gif: whole.length - 1, gifAnimated: 54 }[name as string] ?? whole.length;
    for (let at = 0; at < needed; at++) expect([at, typeof read(whole.subarray(0, at))]).toEqual([at, 'string']);
    expect(read(whole.subarray(0, needed))).toEqual(read(whole));
  });

  it('refuses what is no picture', () => {
    const reason = 'is not a PNG, JPEG, WebP or GIF file.';
    for (const text of ['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'BM', 'RIFF\0\0\0\0WAVE', '%PDF-1.7'])
      expect(read(Buffer.from(text, 'latin1'))).toBe(reason);
  });

  it('refuses sizes that no such file can have', () => {
    expect(read(pngOf(2 ** 31 - 1, 1))).toEqual({ type: 'image/png', width: 2 ** 31 - 1, height: 1 });
    expect(read(pngOf(2 ** 31, 1))).toEqual(damaged);
    expect(read(pngOf(0, 1))).toEqual(damaged);
    expect(read(pngOf(1, 0))).toEqual(damaged);
    // The height of a JPEG may stand behind its pixels; no size is known before them then.
    const frame = sample('jpeg').indexOf(Buffer.of(0xff, 0xc0));
    expect(read(changed(sample('jpeg'), { [frame + 6]: 0 }))).toEqual(damaged);
    expect(read(changed(sample('webpLossy'), { 26: 0 }))).toEqual(damaged);
    // Width and height of the first frame.
    expect(read(changed(sample('gif'), { 30: 0 }))).toEqual(damaged);
  });

  it('refuses files that contradict themselves', () => {
    const jpeg = sample('jpeg');
    const at = jpeg.indexOf(Buffer.of(0xff, 0xc0));
    const frame = jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2));
    expect(read(Buffer.concat([jpeg.subarray(0, at), frame, jpeg.subarray(at)]))).toEqual(damaged);
    // A canvas of 4 x 2 around a picture of 3 x 2, and a canvas without any picture.
    expect(read(changed(sample('webpAlpha'), { 24: 3 }))).toEqual(damaged);
    const empty = changed(sample('webpAlpha').subarray(0, 30), { 4: 22 });
    expect(read(empty)).toEqual(damaged);
    const png = pngOf(3, 2);
    expect(read(Buffer.concat([png.subarray(0, 33), png.subarray(8)]))).toEqual(damaged);
    expect(read(Buffer.concat([png.subarray(0, 33), png.subarray(-12)]))).toEqual(damaged);
  });

  it('measures a GIF by its screen and its first frame', () => {
    // The frame begins at 260, 1 and is 3 x 2.
    expect(read(changed(sample('gif'), { 26: 4, 27: 1, 28: 1 }))).toEqual({ type: 'image/gif', width: 263, height: 3 });
    expect(read(changed(sample('gif'), { 7: 1 }))).toEqual({ type: 'image/gif', width: 259, height: 2 });
  });

  it('is done in one walk, whatever the file is made of', () => {
    const emptyChunks = Buffer.concat([pngOf(3, 2).subarray(0, 33), Buffer.alloc(12 * 500_000)]);
    const blocks = Buffer.concat([sample('gif').subarray(0, 25), Buffer.alloc(4_000_000, '\x21\xfe\x00', 'latin1')]);
    const fill = Buffer.concat([Buffer.of(0xff, 0xd8), Buffer.alloc(4_000_000, 0xff)]);
    const start = performance.now();
    expect([emptyChunks, blocks, fill].map(read)).toEqual([damaged, damaged, damaged]);
    // A reader that went back would take hours.
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 30_000);
});
