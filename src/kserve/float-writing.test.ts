import { describe, expect, it } from 'vitest';
import { writeFloats } from './float-writing.ts';
import { readFloats } from './tensors.ts';

const bitsOf = (value: number, datatype: 'FP16' | 'BF16'): string =>
  writeFloats(Float32Array.of(value), datatype).readUInt16LE(0).toString(16).padStart(4, '0');

describe('writeFloats', () => {
  it.each([
    [0, '0000'],
    [-0, '8000'],
    [1, '3c00'],
    [-2.5, 'c100'],
    [65504, '7bff'],
    [65519, '7bff'],
    [65520, '7c00'],
    [Number.NEGATIVE_INFINITY, 'fc00'],
    [Number.NaN, '7e00'],
    [1 + 2 ** -11, '3c00'],
    [1 + 3 * 2 ** -11, '3c02'],
    [2 ** -14, '0400'],
    [2 ** -24, '0001'],
    [3 * 2 ** -25, '0002'],
    [2 ** -25, '0000'],
    [2 ** -26, '0000'],
  ])('writes %f as the FP16 %s', (value, bits) => {
    expect(bitsOf(value, 'FP16')).toBe(bits);
  });

  it.each([
    [1, '3f80'],
    [-2.5, 'c020'],
    [1 + 2 ** -8, '3f80'],
    [1 + 3 * 2 ** -8, '3f82'],
    [Number.NaN, '7fc0'],
  ])('writes %f as the BF16 %s', (value, bits) => {
    expect(bitsOf(value, 'BF16')).toBe(bits);
  });

  it('gives every FP16 back that was read as floats', () => {
    const all = Buffer.alloc(2 * 65_536);
    for (let bits = 0; bits < 65_536; bits++) all.writeUInt16LE((bits & 0x7c00) === 0x7c00 ? 0 : bits, 2 * bits);
    expect(writeFloats(readFloats(all, 'FP16') as Float32Array, 'FP16').equals(all)).toBe(true);
  });

  it('writes FP32 as it is', () => {
    expect(writeFloats(Float32Array.of(0.1, -3), 'FP32')).toEqual(Buffer.from(Float32Array.of(0.1, -3).buffer));
  });
});
