import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, isFolder } from '../file-kind.ts';
import { ModelError } from './finding.ts';
import { type ReadModelConfig, readModelConfig } from './pbtxt/model-config.ts';
import { TextFormatError } from './pbtxt/text-format-error.ts';

/** The contents of a folder that may be a model. */
export interface ModelFolder {
  readonly folder: string;
  /** The parsed config.pbtxt; undefined if there is none. */
  readonly read: ReadModelConfig | undefined;
  readonly configFile: string;
  /** The numbered folders, ascending. */
  readonly versions: readonly number[];
}

/** The names of the folders in a folder, sorted. Links are followed. */
export async function subfolders(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const found = await Promise.all(names.map(async (name) => ((await isFolder(join(folder, name))) ? [name] : [])));
  return found.flat().toSorted();
}

/** The versions of a model: the folders with a number as name. Like Triton, it skips those that begin with a zero. */
export async function versionFolders(folder: string): Promise<number[]> {
  const names = (await subfolders(folder)).filter((name) => /^[1-9]\d{0,14}$/.test(name));
  return names.map(Number).toSorted((left, right) => left - right);
}

/** Reads the configuration of a model, if it has one. Throws a ModelError if it is invalid. */
export async function readConfigFile(file: string): Promise<ReadModelConfig | undefined> {
  if (!(await exists(file))) return undefined;
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ModelError(`it cannot be read: ${reasonOf(error)}.`, { file });
  });
  if (!isUtf8(bytes)) throw new ModelError('it is not UTF-8 text.', { file });
  try {
    return readModelConfig(bytes.toString(), file);
  } catch (error) {
    if (!(error instanceof TextFormatError)) throw error;
    throw new ModelError(error.problem, { file, position: error.position });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
};

/** The reason of a file system error, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'unknown reason' : code);
}
