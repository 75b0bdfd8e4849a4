import { type FileHandle, open } from 'node:fs/promises';
import { EngineError } from '../../../engine-error.ts';
import { codeOf, messageOf } from '../../../thrown.ts';
import { GgufCursor, type GgufValue, NeedsMoreBytes } from './cursor.ts';

/** The header of a GGUF file. */
export interface GgufHeader {
  readonly file: string;
  readonly fileSize: number;
  /** All values, except lists of strings and long lists. */
  readonly values: ReadonlyMap<string, GgufValue>;
  readonly tensorNames: readonly string[];
  readonly vocabularySize: number;
  /** The texts of the BOS and EOS tokens. */
  readonly bosToken: string | undefined;
  readonly eosToken: string | undefined;
}

const firstBytes = 4 * 2 ** 20;
const mostBytes = 512 * 2 ** 20;

/** Reads the header of a GGUF file. Throws an EngineError for another file or a truncated one. */
export async function readGgufHeader(file: string): Promise<GgufHeader> {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    throw new EngineError(
      codeOf(error) === 'ENOENT' ? `${file} does not exist.` : `${file} cannot be read: ${messageOf(error)}`,
    );
  }
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new EngineError(`${file} is a folder, not a GGUF file.`);
    return await readFrom(handle, { file, fileSize: stat.size });
  } finally {
    await handle.close();
  }
}

async function readFrom(handle: FileHandle, source: { file: string; fileSize: number }): Promise<GgufHeader> {
  const { file, fileSize } = source;
  // The length of a header is unknown until it is read: if a part is too short, a larger one is read.
  for (let size = firstBytes; ; size *= 4) {
    const bytes = Buffer.alloc(Math.min(size, fileSize));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytes.toString('latin1', 0, 4) !== 'GGUF') throw new EngineError(`${file} is not a GGUF file.`);
    try {
      return parse(bytes.subarray(0, bytesRead), source);
    } catch (error) {
      if (!(error instanceof NeedsMoreBytes)) throw error;
      if (bytesRead >= fileSize) throw truncated(file, fileSize);
      if (size > mostBytes) throw new EngineError(`${file} has an invalid GGUF header. Download it again.`);
    }
  }
}

function parse(bytes: Buffer, { file, fileSize }: { file: string; fileSize: number }): GgufHeader {
  const cursor = new GgufCursor(bytes);
  cursor.skip(4);
  const version = cursor.uint32();
  if (version !== 2 && version !== 3)
    throw new EngineError(`${file} has GGUF version ${version}; versions 2 and 3 are supported.`);
  const tensors = cursor.uint64();
  const pairs = cursor.uint64();
  const values = new Map<string, GgufValue>();
  let vocabularyAt: number | undefined;
  for (let pair = 0; pair < pairs; pair++) {
    const key = cursor.text();
    const type = cursor.uint32();
    if (key === 'tokenizer.ggml.tokens') vocabularyAt = cursor.at;
    const value = cursor.value(type);
    if (value === unknownType) throw new EngineError(`${file} has an invalid GGUF header. Download it again.`);
    if (value !== undefined) values.set(key, value);
  }
  const tensorNames = checkTensors(cursor, {
    file,
    fileSize,
    tensors,
    alignment: Number(values.get('general.alignment') ?? 32),
  });
  const token = (name: string): string | undefined => {
    const id = values.get(`tokenizer.ggml.${name}_token_id`);
    return vocabularyAt === undefined || typeof id !== 'number' ? undefined : cursor.textOfList(vocabularyAt, id);
  };
  const vocabularySize = vocabularyAt === undefined ? 0 : cursor.lengthOfList(vocabularyAt);
  return { file, fileSize, values, tensorNames, vocabularySize, bosToken: token('bos'), eosToken: token('eos') };
}

const unknownType = null;

/** Elements and bytes of a block, by the number of the type. */
const typeSizes: Readonly<Record<number, readonly [number, number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
};

interface TensorTable {
  readonly file: string;
  readonly fileSize: number;
  readonly tensors: number;
  readonly alignment: number;
}

/** Reads the table of tensors and checks that the file is long enough for the last of them. */
function checkTensors(cursor: GgufCursor, { file, fileSize, tensors, alignment }: TensorTable): string[] {
  let end = 0;
  const names: string[] = [];
  for (let tensor = 0; tensor < tensors; tensor++) {
    names.push(cursor.text());
    let elements = 1;
    for (let dimensions = cursor.uint32(); dimensions > 0; dimensions--) elements *= cursor.uint64();
    // A type that is missing in this table counts as empty: the engine checks it again.
    const [block, size] = typeSizes[cursor.uint32()] ?? [1, 0];
    end = Math.max(end, cursor.uint64() + (elements / block) * size);
  }
  const data = Math.ceil(cursor.at / alignment) * alignment;
  if (data + end > fileSize) throw truncated(file, fileSize);
  return names;
}

function truncated(file: string, size: number): EngineError {
  return new EngineError(
    `${file} is truncated: it ends after ${size} bytes, in the middle of the model. Download it again.`,
  );
}
