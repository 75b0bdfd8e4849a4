import { describe, expect, it } from 'vitest';
import { npy, weights } from '../../test/support/npy.ts';
import { NpyError, readNpy } from './npy.ts';

const whole = { type: '<f4', shape: [1, 2], data: Buffer.from(Float32Array.of(1, -2).buffer) };

describe('readNpy', () => {
  it('reads both versions of the header', () => {
    for (const version of [1, 2] as const)
      expect(readNpy(npy({ ...whole, version }))).toEqual({ datatype: 'FP32', shape: [1, 2], data: whole.data });
  });

  it('reads a shape of one size, and of none', () => {
    expect(readNpy(npy({ ...whole, shape: [2] })).shape).toEqual([2]);
    expect(readNpy(npy({ ...whole, shape: [], data: Buffer.alloc(4) })).shape).toEqual([]);
  });

  it('takes two bytes of any kind for BF16, as TensorRT-LLM saves it', () => {
    const { datatype, data } = readNpy(weights([[1, -2]], '|V2'));
    expect([datatype, data.toString('hex')]).toEqual(['BF16', '803f00c0']);
  });

  const file = npy(whole);
  it.each([
    [Buffer.alloc(0), 'is not a .npy file.'],
    [Buffer.from('PK\x03\x04 an archive of arrays'), 'is not a .npy file.'],
    [
      Buffer.concat([file.subarray(0, 6), Buffer.of(9), file.subarray(7)]),
      'has version 9 of the .npy format. Supported are 1 to 3.',
    ],
    [file.subarray(0, 40), 'is truncated inside its header.'],
    [file.subarray(0, -1), 'is truncated: it has 7 bytes of data, but its shape needs 8.'],
    [Buffer.concat([file, Buffer.of(0)]), 'has 9 bytes of data, but its shape needs 8.'],
    [npy({ ...whole, fortran: true }), 'is in Fortran order: save it with numpy.ascontiguousarray.'],
    [npy({ ...whole, type: '>f4' }), 'has the dtype >f4. Supported are <f2, <f4, |V2, <V2, <i4, <i8.'],
    [npy({ ...whole, type: 'constructor' }), 'has the dtype constructor. Supported are <f2, <f4, |V2, <V2, <i4, <i8.'],
    [npy({ ...whole, type: '' }), 'has the dtype . Supported are <f2, <f4, |V2, <V2, <i4, <i8.'],
    [npy({ ...whole, shape: [-1, 2] }), 'has a header without descr, fortran_order and shape.'],
  ])('says what is wrong with a file (%#)', (bytes, text) => {
    expect(() => readNpy(bytes)).toThrow(new NpyError(text));
  });
});
