import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFloats } from '../../src/kserve/float-writing.ts';

export interface NpyParts {
  readonly type: string;
  readonly shape: readonly number[];
  readonly data: Buffer;
  readonly fortran?: boolean;
  readonly version?: 1 | 2;
}

/** A file as numpy.save writes it. */
export function npy({ type, shape, data, fortran = false, version = 1 }: NpyParts): Buffer {
  const dims = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  const text = `{'descr': '${type}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': ${dims}, }`;
  const before = version === 1 ? 10 : 12;
  const length = Math.ceil((before + text.length + 1) / 64) * 64 - before;
  const start = Buffer.alloc(before);
  start.write('\x93NUMPY', 'latin1');
  start[6] = version;
  if (version === 1) start.writeUInt16LE(length, 8);
  else start.writeUInt32LE(length, 8);
  return Buffer.concat([start, Buffer.from(`${text.padEnd(length - 1)}\n`, 'latin1'), data]);
}

const types = { '<f2': 'FP16', '<f4': 'FP32', '|V2': 'BF16' } as const;

/** Weights of one row for each list, in a type of NumPy's. */
export function weights(rows: readonly (readonly number[])[], type: keyof typeof types = '<f2'): Buffer {
  const data = writeFloats(Float32Array.from(rows.flat()), types[type]);
  return npy({ type, shape: [1, rows.length, rows[0]?.length ?? 0], data });
}

export function config(rows: readonly (readonly number[])[]): Buffer {
  const data = Buffer.from(Int32Array.from(rows.flat()).buffer);
  return npy({ type: '<i4', shape: [1, rows.length, rows[0]?.length ?? 0], data });
}

/** Writes the folder of an adapter as hf_lora_convert.py leaves it, and gives its path. */
export function adapterFolder(folder: string, files: { weights: Buffer; config: Buffer }): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.lora_weights.npy'), files.weights);
  writeFileSync(join(folder, 'model.lora_config.npy'), files.config);
  return folder;
}
