import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AdapterFormat, LoraWeights } from '../contracts/contract.ts';
import type { FloatDatatype } from '../kserve/float-writing.ts';
import { floatSizes } from '../kserve/tensors.ts';
import { convertFloats } from './convert-floats.ts';
import { type NpyArray, NpyError, readNpy } from './npy.ts';

/** What is wrong with the folder of an adapter, as a complete sentence. */
export class AdapterFolderError extends Error {
  override readonly name = 'AdapterFolderError';
}

/** A LoRA adapter as TensorRT-LLM's hf_lora_convert.py writes it: a folder with the weights and what they belong to. */
export interface AdapterFolder {
  /** A hash of the contents: other weights never have the same number. */
  readonly number: number;
  /** Reads the weights again, in the format that an engine takes. */
  read(format: AdapterFormat): Promise<LoraWeights>;
}

const weightsFile = 'model.lora_weights.npy';
const configFile = 'model.lora_config.npy';

/** The files of an adapter's folder. */
export const filesOfFolder = [weightsFile, configFile];

/** Reads and checks the folder of an adapter. The weights do not stay in memory: an engine rarely needs them. */
export async function openAdapterFolder(folder: string): Promise<AdapterFolder> {
  const stamp = await stampOf(folder);
  const files = await readFiles(folder);
  return {
    number: await numberOf([files.weights.data, files.config.data]),
    read: async (format) => {
      if ((await stampOf(folder)) !== stamp)
        throw new AdapterFolderError(`${folder} has changed since it was loaded: load the adapter again.`);
      return toFormat(await readFiles(folder), format, folder);
    },
  };
}

interface Files {
  readonly weights: NpyArray & { readonly datatype: FloatDatatype };
  readonly config: NpyArray;
  readonly rows: number;
  readonly size: number;
  readonly columns: number;
}

async function readFiles(folder: string): Promise<Files> {
  // One after the other: if both are missing, the error always names the same file.
  const weights = await readArray(folder, weightsFile);
  const config = await readArray(folder, configFile);
  const refuse = (file: string, text: string): never => {
    throw new AdapterFolderError(`${join(folder, file)} ${text}`);
  };
  const [rows = 0, size = 0] =
    matrixOf(weights) ?? refuse(weightsFile, `has ${shapeText(weights)}, not [1, rows, size].`);
  const [described = 0, columns = 0] =
    matrixOf(config) ?? refuse(configFile, `has ${shapeText(config)}, not [1, rows, 3] or [1, rows, 4].`);
  if (!isFloat(weights)) return refuse(weightsFile, `has the datatype ${weights.datatype}, not FP16, FP32 or BF16.`);
  if (isFloat(config)) return refuse(configFile, `has the datatype ${config.datatype}, not INT32.`);
  if (columns !== 3 && columns !== 4)
    return refuse(configFile, `has ${shapeText(config)}, not [1, rows, 3] or [1, rows, 4].`);
  if (rows === 0 || size === 0) return refuse(weightsFile, 'is empty.');
  if (rows !== described) return refuse(configFile, `describes ${described} rows, but ${weightsFile} has ${rows}.`);
  return { weights, config, rows, size, columns };
}

async function readArray(folder: string, file: string): Promise<NpyArray> {
  const path = join(folder, file);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new AdapterFolderError(isAbsent ? `${path} does not exist.` : `${path} cannot be read.`, { cause: error });
  }
  try {
    return readNpy(bytes);
  } catch (error) {
    throw error instanceof NpyError ? new AdapterFolderError(`${path} ${error.message}`) : error;
  }
}

/** The last two sizes, where those before them are 1. */
function matrixOf({ shape }: NpyArray): readonly number[] | undefined {
  const isMatrix = shape.length === 2 || (shape.length === 3 && shape[0] === 1);
  return isMatrix ? shape.slice(-2) : undefined;
}

function shapeText({ shape }: NpyArray): string {
  return `the shape [${shape.join(', ')}]`;
}

function isFloat(array: NpyArray): array is NpyArray & { readonly datatype: FloatDatatype } {
  return Object.hasOwn(floatSizes, array.datatype);
}

async function toFormat(
  { weights, config, rows, size, columns }: Files,
  format: AdapterFormat,
  folder: string,
): Promise<LoraWeights> {
  const columnCount = format.columns ?? columns;
  const configNumbers = numbersOf(config);
  const configRows = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columnCount }, (_, column) =>
      column < columns ? (configNumbers[row * columns + column] as number) : 0,
    ),
  );
  // The fourth number says whether a row is a DoRA. An engine without that column would treat it as a LoRA.
  const isLost = columnCount < columns && configNumbers.some((value, at) => at % columns >= columnCount && value !== 0);
  if (isLost) throw new AdapterFolderError(`${folder} is a DoRA adapter, which this model does not support.`);
  const data =
    weights.datatype === format.datatype
      ? weights.data
      : await convertFloats(weights, format.datatype).catch(toFolderError(folder));
  return { weights: data, weightsShape: [rows, size], config: configRows.flat(), configShape: [rows, columnCount] };
}

function toFolderError(folder: string) {
  return (error: unknown): never => {
    throw error instanceof RangeError ? new AdapterFolderError(`${folder} ${error.message}`) : error;
  };
}

function numbersOf({ data, datatype }: NpyArray): number[] {
  const size = datatype === 'INT64' ? 8 : 4;
  return Array.from({ length: data.length / size }, (_, at) =>
    datatype === 'INT64' ? Number(data.readBigInt64LE(at * size)) : data.readInt32LE(at * size),
  );
}

/** Bytes that are hashed before the event loop gets a turn. */
const slice = 2 ** 20;

/** Above every number that people choose, and small enough to be exact as a number. */
async function numberOf(parts: readonly Buffer[]): Promise<number> {
  const hash = createHash('sha256');
  for (const part of parts)
    for (let at = 0; at < part.length; at += slice) {
      hash.update(part.subarray(at, at + slice));
      await setImmediate();
    }
  return 2 ** 52 + Number(hash.digest().readBigUInt64LE() >> 12n);
}

/** Changes when one of the files does. */
async function stampOf(folder: string): Promise<string> {
  const files = [weightsFile, configFile].map((file) => stat(join(folder, file)).catch(() => undefined));
  return JSON.stringify((await Promise.all(files)).map((found) => found && [found.size, found.mtimeMs]));
}
