import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';

/** The Node version and platform: compiled code is valid only for the same ones. */
export const machineName = `node-${process.version}-${process.platform}-${process.arch}`;

/** The folders of compiled code. */
export interface CompiledFolders {
  /** The folder of this user, for code that the package does not contain. */
  readonly own?: string | undefined;
  /** The folder that the build has filled. */
  readonly shipped: string;
}

/** A part of the program. */
export interface Part {
  readonly name: string;
  /** SHA-256 of its source. */
  readonly sourceDigest: Buffer;
}

const digestSize = 32;

/**
 * Code that V8 has compiled before, one file per part of the program. A file is used only if it is complete and was
 * compiled by this Node from the same bytes. V8 itself compares its version and flags. Files of other users are ignored.
 */
export class CompiledCode {
  readonly #folders: CompiledFolders;

  constructor(folders: CompiledFolders) {
    this.#folders = folders;
  }

  /** The compiled code of a part; undefined if there is no valid one. */
  find(part: Part): Buffer | undefined {
    const { own, shipped } = this.#folders;
    const found = own === undefined ? undefined : checkedCode(readOwn(join(own, fileName(part))), part);
    return found ?? checkedCode(read(join(shipped, fileName(part))), part);
  }

  /** Saves the compiled code of a part. Errors are ignored: Conch runs without it. */
  save(part: Part, code: Buffer): void {
    const { own } = this.#folders;
    if (own === undefined) return;
    const file = join(own, fileName(part));
    const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      writeFileSync(unfinished, Buffer.concat([digestOf(part, code), code]), { mode: 0o600, flag: 'wx' });
      renameSync(unfinished, file);
    } catch {
      remove(unfinished);
    }
  }
}

/** The folders for a program in this folder; undefined if the environment turns compiled code off. */
export function compiledFolders(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
): CompiledFolders | undefined {
  // Coverage counts functions from compiled code only in part.
  if (environment['NODE_DISABLE_COMPILE_CACHE'] || environment['NODE_V8_COVERAGE']) return undefined;
  const cache = environment['XDG_CACHE_HOME'] || homeCache();
  // The tag depends on V8's flags: each set of flags has its own folder.
  const flags = cachedDataVersionTag().toString(16);
  return {
    own: cache === undefined ? undefined : join(cache, 'conch', 'compiled', `${machineName}-${flags}`),
    shipped: join(program, 'compiled', machineName),
  };
}

function homeCache(): string | undefined {
  try {
    return join(homedir(), '.cache');
  } catch {
    // A user without an entry in the user database has no home.
    return undefined;
  }
}

function fileName({ name }: Part): string {
  return `${name}.compiled`;
}

/** V8 detects neither a damaged file nor one from another source of the same length. */
function checkedCode(file: Buffer | undefined, part: Part): Buffer | undefined {
  if (file === undefined) return undefined;
  const code = file.subarray(digestSize);
  return digestOf(part, code).equals(file.subarray(0, digestSize)) ? code : undefined;
}

function digestOf({ sourceDigest }: Part, code: Buffer): Buffer {
  return createHash('sha256').update(machineName).update(sourceDigest).update(code).digest();
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder does not exist.
  }
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function readOwn(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const owner = process.getuid?.();
    return owner === undefined || fstatSync(file).uid === owner ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
