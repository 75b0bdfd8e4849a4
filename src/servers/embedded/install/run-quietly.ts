import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a program printed and how it ended; the code is null if it could not be started. */
export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
  readonly isMissing: boolean;
}

interface RunOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Called at intervals while it runs. */
  readonly onTick?: () => void;
}

const tickMilliseconds = 500;
const mostOutput = 64 * 1024;

/** Runs a program without a terminal and returns the end of its output. */
export function runQuietly(
  program: string,
  programArguments: readonly string[],
  { cwd, environment = {}, signal, onTick }: RunOptions,
): Promise<ProgramResult> {
  const child = spawn(program, programArguments, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withoutOwnNpm(process.env), ...environment },
    ...(signal ? { signal } : {}),
  });
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-mostOutput);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const ticker = setInterval(() => onTick?.(), tickMilliseconds);
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearInterval(ticker);
      if (signal?.aborted) reject(error);
      else resolve({ code: null, output: error.message, isMissing: error.code === 'ENOENT' });
    });
    child.on('close', (code) => {
      clearInterval(ticker);
      resolve({ code, output, isMissing: false });
    });
  });
}

/** Under `npm start`, environment variables name the running package, and npm would install into that one. */
function withoutOwnNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOwn =
    /^(npm_(package|lifecycle|command)|npm_config_(local_prefix|prefix|global|global_prefix|workspace)|init_cwd)/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOwn.test(name)));
}

/** Bytes of all files in a folder; files that disappear meanwhile count as 0. */
export function folderSize(folder: string): number {
  let size = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) size += folderSize(path);
      else if (entry.isFile()) size += statSync(path).size;
    }
  } catch {
    return size;
  }
  return size;
}
