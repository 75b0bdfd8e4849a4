import type { Datatype } from './tensors.ts';

/** The floating-point datatypes of weights. */
export type FloatDatatype = Extract<Datatype, 'FP16' | 'FP32' | 'BF16'>;

/** Floats as the data of a tensor, each rounded to the nearest number that the datatype has. */
export function writeFloats(floats: Float32Array, datatype: FloatDatatype): Buffer {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const size = datatype === 'FP32' ? 4 : 2;
  const data = Buffer.allocUnsafe(floats.length * size);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let index = 0; index < bits.length; index++) {
    const value = bits[index] as number;
    if (datatype === 'FP32') view.setUint32(index * 4, value, true);
    else view.setUint16(index * 2, datatype === 'BF16' ? upperHalf(value) : half(value), true);
  }
  return data;
}

/** The upper 16 bits of an FP32, rounded to even, which are a BF16. */
function upperHalf(bits: number): number {
  const isNotANumber = (bits & 0x7fffffff) > 0x7f800000;
  return isNotANumber ? (bits >>> 16) | 0x40 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The bits of an FP32 as those of an FP16, rounded to even. */
function half(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return sign | 0x7e00;
  // 65520 and above round to infinity.
  if (rest >= 0x477ff000) return sign | 0x7c00;
  if (rest >= 0x38800000) return sign | ((rest - 0x38000000 + 0x0fff + ((rest >>> 13) & 1)) >>> 13);
  // Below the smallest normal FP16 numbers are multiples of 2^-24.
  const shift = 126 - (rest >>> 23);
  if (shift > 24) return sign;
  const fraction = (rest & 0x7fffff) | 0x800000;
  const cut = fraction >>> shift;
  const left = fraction & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return sign | (left > middle || (left === middle && (cut & 1) === 1) ? cut + 1 : cut);
}
