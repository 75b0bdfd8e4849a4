import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exists } from '../file-kind.ts';
import { codeOf } from '../thrown.ts';
import { AssetError } from './asset-error.ts';
import { type HubSettings, HubUnreachableError, hubRequest } from './hub-request.ts';

export type { HubSettings } from './hub-request.ts';

/** How far a download is. */
export interface HubProgress {
  readonly name: string;
  readonly file: string;
  readonly received: number;
  /** Undefined where the hub does not say. */
  readonly total: number | undefined;
}

interface FetchOptions {
  /** `org/name`, or `org/name@revision`. */
  readonly name: string;
  readonly settings: HubSettings;
  readonly onProgress?: ((progress: HubProgress) => void) | undefined;
  /** Called when the hub is unreachable and the cache is used instead. */
  readonly onNote?: ((note: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const neededFiles = new Set([
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'generation_config.json',
  'config.json',
  'chat_template.jinja',
  'chat_template.json',
  'modules.json',
  'config_sentence_transformers.json',
  'sentence_bert_config.json',
  '1_Pooling/config.json',
]);
const tries = 3;

/** Whether a text can be a name on the hub, with or without a revision. */
export function isHubName(text: string): boolean {
  return /^[\w][\w.-]*(\/[\w][\w.-]*)?(@[\w][\w./-]*)?$/.test(text) && !text.includes('..');
}

/**
 * The folder with a model's tokenizer files, fetched where the cache has not got them.
 * The cache has huggingface_hub's own layout (refs and snapshots), so each may use what the other fetched.
 */
export async function fetchFromHub(options: FetchOptions): Promise<string> {
  const { name, settings } = options;
  const [repository = name, revision = 'main'] = name.split('@');
  const base = join(settings.cacheFolder, `models--${repository.replaceAll('/', '--')}`);
  const reference = join(base, 'refs', revision);
  if (settings.offline) {
    const cached = await cachedSnapshot(base, reference, revision);
    if (cached !== undefined) return cached;
    throw new AssetError(`${name} is not in the cache ${settings.cacheFolder}, and HF_HUB_OFFLINE forbids downloads.`);
  }
  try {
    const { commit, files } = await listing(repository, revision, options);
    const folder = join(base, 'snapshots', commit);
    for (const file of files) await ensureFile({ repository, commit, file, folder }, options);
    await writeWhole(reference, commit);
    return folder;
  } catch (error) {
    if (!(error instanceof HubUnreachableError)) throw error;
    const cached = await cachedSnapshot(base, reference, revision);
    if (cached === undefined) {
      throw new AssetError(
        `${name} cannot be fetched: ${error.message}. Tried ${tries} times; set HF_ENDPOINT to use another hub.`,
        { cause: error },
      );
    }
    options.onNote?.(`${error.message}; using the cached files of ${name}.`);
    return cached;
  }
}

/** The folder that a cache has of a model on the hub; undefined where it has none with a tokenizer. Nothing is fetched. */
export function cachedModel(name: string, revision: string, cacheFolder: string): Promise<string | undefined> {
  if (!/^\w[\w./-]*$/.test(revision) || revision.includes('..')) return Promise.resolve(undefined);
  const base = join(cacheFolder, `models--${name.replaceAll('/', '--')}`);
  return cachedSnapshot(base, join(base, 'refs', revision), revision);
}

async function cachedSnapshot(base: string, reference: string, revision: string): Promise<string | undefined> {
  const commit = await readFile(reference, 'utf8').then(
    (text) => text.trim(),
    () => revision,
  );
  const folder = join(base, 'snapshots', commit);
  return (await exists(join(folder, 'tokenizer.json'))) || (await exists(join(folder, 'tokenizer_config.json')))
    ? folder
    : undefined;
}

/** The current commit of a revision, and which of its files are needed. */
async function listing(
  repository: string,
  revision: string,
  options: FetchOptions,
): Promise<{ commit: string; files: string[] }> {
  const { settings, signal } = options;
  const url = address(settings, `api/models/${repository}/revision/${encodeURIComponent(revision)}`);
  const what = revision === 'main' ? `model ${repository}` : `model ${repository} with revision ${revision}`;
  const body = await persistently(async () => {
    const response = await hubRequest(url, settings, { what, signal });
    return (await response.json().catch(() => undefined)) as
      | { sha?: unknown; siblings?: { rfilename?: unknown }[] }
      | undefined;
  }, signal);
  if (typeof body?.sha !== 'string' || !/^[\w-]+$/.test(body.sha) || !Array.isArray(body.siblings)) {
    throw new AssetError(`The response of ${url.host} is not that of a Hugging Face hub. Check HF_ENDPOINT.`);
  }
  const files = body.siblings
    .map(({ rfilename }) => (typeof rfilename === 'string' ? rfilename : ''))
    .filter((file) => neededFiles.has(file) || /^additional_chat_templates\/[\w-]+\.jinja$/.test(file));
  if (!files.some((file) => file.startsWith('tokenizer') || file.startsWith('chat_template'))) {
    throw new AssetError(
      `The model ${repository} has no tokenizer.json, tokenizer_config.json or chat template on ${url.host}.`,
    );
  }
  return { commit: body.sha, files };
}

async function ensureFile(
  location: { repository: string; commit: string; file: string; folder: string },
  options: FetchOptions,
): Promise<void> {
  const { repository, commit, file, folder } = location;
  const target = join(folder, file);
  // A commit never changes, and a file gets its name only once it is whole.
  if (await exists(target)) return;
  const url = address(options.settings, `${repository}/resolve/${commit}/${file}`);
  await persistently(async () => {
    const response = await hubRequest(url, options.settings, {
      what: `file ${file} of ${repository}`,
      signal: options.signal,
    });
    await download(response, target, { ...options, file });
  }, options.signal);
}

async function download(response: Response, target: string, options: FetchOptions & { file: string }): Promise<void> {
  const length = response.headers.get('content-length');
  const total = length === null ? undefined : Number(length);
  const temporary = `${target}.${randomUUID()}.part`;
  const whole = createHash('sha256');
  const blob = createHash('sha1').update(`blob ${total ?? 0}\0`);
  let received = 0;
  await mkdir(dirname(target), { recursive: true });
  try {
    const source = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
    source.on('data', (chunk: Buffer) => {
      received += chunk.length;
      whole.update(chunk);
      blob.update(chunk);
      options.onProgress?.({ name: options.name, file: options.file, received, total });
    });
    await pipeline(source, createWriteStream(temporary), { signal: options.signal });
    const digests = { sha256: whole.digest('hex'), sha1: blob.digest('hex') };
    const complete = (total === undefined || received === total) && matches(response.headers, digests);
    if (!complete) throw new HubUnreachableError(`${options.file} arrived incomplete or damaged (${received} bytes)`);
    await rename(temporary, target);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof HubUnreachableError || codeOf(error)?.startsWith('E')) throw error;
    throw new HubUnreachableError(`the download of ${options.file} ended after ${received} bytes`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The hub's ETag is the SHA-256 of a large file and git's SHA-1 of a small one. */
function matches(headers: Headers, digests: { sha256: string; sha1: string }): boolean {
  const etag = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '').replace(/^W\/|"/g, '');
  if (/^[0-9a-f]{64}$/.test(etag)) return etag === digests.sha256;
  return /^[0-9a-f]{40}$/.test(etag) ? etag === digests.sha1 : true;
}

async function persistently<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof HubUnreachableError) || count >= tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** count));
      signal?.throwIfAborted();
    }
  }
}

function address(settings: HubSettings, path: string): URL {
  return new URL(path, settings.endpoint.endsWith('/') ? settings.endpoint : `${settings.endpoint}/`);
}

async function writeWhole(target: string, text: string): Promise<void> {
  const temporary = `${target}.${randomUUID()}.part`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(temporary, text);
  await rename(temporary, target);
}
