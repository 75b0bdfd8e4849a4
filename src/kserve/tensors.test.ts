import { describe, expect, it } from 'vitest';
import { isNumberDatatype, numberTensor, readFloats, readNumber, textTensor } from './tensors.ts';

const written = (datatype: Parameters<typeof numberTensor>[1]['datatype'], ...values: number[]) =>
  numberTensor('n', { datatype, values, shape: [1, values.length] }).data.toString('hex');

describe('numberTensor', () => {
  it.each([
    ['INT32', [1, -2], '01000000feffffff'],
    ['UINT32', [1, 2 ** 32 - 1], '01000000ffffffff'],
    ['INT64', [-1], 'ffffffffffffffff'],
    ['UINT64', [2 ** 53], '0000000000002000'],
    ['FP32', [1.5], '0000c03f'],
    ['FP64', [1.5], '000000000000f83f'],
  ] as const)('writes %s, row by row and little-endian', (datatype, values, hex) => {
    expect(written(datatype, ...values)).toBe(hex);
    expect(isNumberDatatype(datatype)).toBe(true);
  });

  it('keeps the bits of a negative number where only others are known', () => {
    expect(written('UINT64', -1)).toBe('ffffffffffffffff');
  });

  it('keeps name, datatype and shape', () => {
    const values = Int32Array.of(1, 2);
    expect(numberTensor('n', { datatype: 'INT32', values, shape: [2, 1] })).toMatchObject({
      name: 'n',
      datatype: 'INT32',
      shape: [2, 1],
    });
    expect(isNumberDatatype('BYTES')).toBe(false);
    expect(isNumberDatatype('toString')).toBe(false);
  });
});

describe('readNumber', () => {
  it.each(['INT32', 'UINT32', 'INT64', 'UINT64', 'FP32', 'FP64'] as const)('reads the first %s', (datatype) => {
    const { data } = numberTensor('n', { datatype, values: [7, 8], shape: [2] });
    expect(readNumber(data, datatype)).toBe(7);
    expect(readNumber(data.subarray(0, 3), datatype)).toBeUndefined();
  });

  it('reads a number that came as a text, and nothing from other texts', () => {
    const read = (text: string) => readNumber(textTensor('n', [text]).data, 'BYTES');
    expect(['3', '0.25', '-1'].map(read)).toEqual([3, 0.25, -1]);
    expect(['None', '', 'N/A'].map(read)).toEqual([undefined, undefined, undefined]);
    expect(readNumber(Buffer.of(1), 'BOOL')).toBeUndefined();
  });
});

describe('readFloats', () => {
  // At an odd offset, as a tensor may stand in a message.
  const at = (hex: string) => Buffer.from(`00${hex}`, 'hex').subarray(1);

  it('reads every width', () => {
    expect(readFloats(at('0000c03f000080ff'), 'FP32')).toEqual(Float32Array.of(1.5, Number.NEGATIVE_INFINITY));
    expect(readFloats(at('c03f80bf'), 'BF16')).toEqual(Float32Array.of(1.5, -1));
    expect(readFloats(at('003e00c0007c00fc'), 'FP16')).toEqual(
      Float32Array.of(1.5, -2, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    expect(readFloats(at('0100ff7b0080007e'), 'FP16')).toEqual(Float32Array.of(2 ** -24, 65504, -0, Number.NaN));
    expect(readFloats(at('01000000'), 'INT32')).toBeUndefined();
  });
});
