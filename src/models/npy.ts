import type { Datatype } from '../kserve/tensors.ts';

/** An array of numbers as NumPy saves it, in C order. */
export interface NpyArray {
  readonly datatype: Extract<Datatype, 'FP16' | 'FP32' | 'BF16' | 'INT32' | 'INT64'>;
  readonly shape: readonly number[];
  /** The numbers, little-endian: a part of the bytes that were read. */
  readonly data: Buffer;
}

/** What is wrong with a file, as a sentence without its subject, the file. */
export class NpyError extends Error {
  override readonly name = 'NpyError';
}

const magic = Buffer.from('\x93NUMPY', 'latin1');

/** NumPy has no BF16: TensorRT-LLM's tools save it as two bytes of a void type. */
const datatypes: Readonly<Record<string, { readonly datatype: NpyArray['datatype']; readonly size: number }>> = {
  '<f2': { datatype: 'FP16', size: 2 },
  '<f4': { datatype: 'FP32', size: 4 },
  '|V2': { datatype: 'BF16', size: 2 },
  '<V2': { datatype: 'BF16', size: 2 },
  '<i4': { datatype: 'INT32', size: 4 },
  '<i8': { datatype: 'INT64', size: 8 },
};

/** Reads the bytes of a .npy file of the versions 1 to 3. */
export function readNpy(bytes: Buffer): NpyArray {
  const { header, start } = headerOf(bytes);
  const type = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const dims = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (type === undefined || order === undefined || dims === undefined)
    throw new NpyError('has a header without descr, fortran_order and shape.');
  if (order === 'True') throw new NpyError('is in Fortran order: save it with numpy.ascontiguousarray.');
  const format = Object.hasOwn(datatypes, type) ? datatypes[type] : undefined;
  if (!format) throw new NpyError(`has the dtype ${type}. Supported are ${Object.keys(datatypes).join(', ')}.`);
  const shape = dims.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]));
  const expected = shape.reduce((product, size) => product * size, format.size);
  const data = bytes.subarray(start);
  if (data.length !== expected)
    throw new NpyError(
      data.length < expected
        ? `is truncated: it has ${data.length} bytes of data, but its shape needs ${expected}.`
        : `has ${data.length} bytes of data, but its shape needs ${expected}.`,
    );
  return { datatype: format.datatype, shape, data };
}

function headerOf(bytes: Buffer): { readonly header: string; readonly start: number } {
  if (bytes.length < 12 || !bytes.subarray(0, magic.length).equals(magic)) throw new NpyError('is not a .npy file.');
  const version = bytes[magic.length] as number;
  if (version < 1 || version > 3)
    throw new NpyError(`has version ${version} of the .npy format. Supported are 1 to 3.`);
  const from = version === 1 ? 10 : 12;
  const start = from + (version === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  if (start > bytes.length) throw new NpyError('is truncated inside its header.');
  return { header: bytes.toString('latin1', from, start), start };
}
