import { describe, expect, it } from 'vitest';
import { dataUrl, pngOf, sample } from '../../test/support/image-fixtures.ts';
import { checkImage } from './check-image.ts';
import { dataUrlBytes, isDataUrl } from './data-url.ts';

const limits = { bytes: 1000, pixels: 600 };

function read(url: string): unknown {
  try {
    return dataUrlBytes(url, limits);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('dataUrlBytes', () => {
  const png = sample('png');
  const text = png.toString('base64');

  it('gives the bytes, whichever picture the media type names', () => {
    for (const head of ['data:image/png', 'DATA:IMAGE/PNG', 'data:image/jpeg', 'data:image/svg+xml;charset=utf-8'])
      expect(read(`${head};base64,${text}`)).toEqual(png);
    expect(['data:x', 'Data:', 'https://data:'].map(isDataUrl)).toEqual([true, true, false]);
  });

  it.each([
    'data:,',
    'data:image/png,abc',
    `data:image/png;base64;x=1,${text}`,
    'data:image/png;base64',
    `data:${text}`,
  ])('refuses what is not in base64: %s', (url) =>
    expect(read(url)).toBe('must be a base64 data URL: data:image/png;base64,...'),
  );

  it.each([
    ['text/plain', 'must have an image media type, not "text/plain".'],
    ['', 'must have an image media type, not "".'],
    ['application/octet-stream', 'must have an image media type, not "application/octet-stream".'],
    ['image/', 'must have an image media type, not "image/".'],
  ])('refuses the media type %j', (type, reason) => expect(read(`data:${type};base64,${text}`)).toBe(reason));

  it.each([
    '',
    '=',
    'A',
    'AA',
    'AAA',
    'AB==',
    'A===',
    'AAAA=',
    'AA-_',
    'AAAA AAAA',
    'AAAA\n',
    'AAA=AAAA',
    'ŁAAA',
    '%41AAA',
  ])('refuses base64 that is not strictly so: %j', (content) =>
    expect(read(`data:image/png;base64,${content}`)).toBe(
      'is not valid base64. Use the standard alphabet with padding, without spaces.',
    ),
  );

  it('refuses too many bytes before they are decoded', () => {
    expect(read(dataUrl(Buffer.alloc(1000)))).toEqual(Buffer.alloc(1000));
    expect(read(dataUrl(Buffer.alloc(1004)))).toBe('is larger than the 1000 bytes allowed (--max-image-size).');
  });
});

describe('checkImage', () => {
  it('refuses by bytes and by pixels, and keeps the file as it is', () => {
    const whole = pngOf(30, 20);
    expect(checkImage(whole, limits)).toEqual({ type: 'image/png', bytes: whole });
    expect(() => checkImage(pngOf(30, 21), limits)).toThrow(
      'has 30 x 21 pixels; at most 600 pixels are allowed (--max-image-pixels).',
    );
    expect(() => checkImage(pngOf(2 ** 31 - 1, 2 ** 31 - 1), limits)).toThrow('has 2147483647 x 2147483647 pixels');
    expect(() => checkImage(Buffer.concat([whole, Buffer.alloc(1000)]), limits)).toThrow(
      'is larger than the 1000 bytes allowed (--max-image-size).',
    );
  });
});
