import { setImmediate } from 'node:timers/promises';
import { type FloatDatatype, writeFloats } from '../kserve/float-writing.ts';
import { floatSizes, readFloats } from '../kserve/tensors.ts';

/** Numbers that are converted before the event loop gets a turn. */
const slice = 2 ** 20;

/** Converts numbers to another datatype. Throws a RangeError if they do not fit. */
export async function convertFloats(
  { data, datatype: from }: { readonly data: Buffer; readonly datatype: FloatDatatype },
  to: FloatDatatype,
): Promise<Buffer> {
  const step = slice * (floatSizes[from] as number);
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += step) {
    const floats = readFloats(data.subarray(at, at + step), from) as Float32Array;
    if (to === 'FP16' && floats.some((value) => Math.abs(value) >= 65_520))
      throw new RangeError('has numbers that are too large for FP16, the datatype of this model.');
    parts.push(writeFloats(floats, to));
    await setImmediate();
  }
  return Buffer.concat(parts);
}
