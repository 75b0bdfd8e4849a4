import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { VllmFacts } from '../contracts/vllm-facts.ts';
import { isFolder } from '../file-kind.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../json-object.ts';
import { cachedModel, isHubName } from '../prompt/hub.ts';
import { argumentsFile, namesGuideLibrary, readVllmArguments, type UnreadArguments } from '../vllm-arguments.ts';
import { checkpointFacts } from './vllm-checkpoint.ts';

/** The facts from the files of a vLLM model in a repository on this machine. */
export interface VllmFolder {
  readonly facts: VllmFacts;
  /** Where its tokenizer is. */
  readonly tokenizerDirectory?: string;
  /** Whether its engine arguments set the library of structured outputs; undefined if they cannot be read. */
  readonly namesGuideLibrary?: boolean;
  /** What is wrong with the files, for people. */
  readonly problems: readonly string[];
}

/** The folders that may have files of models. */
export interface ModelLocations {
  readonly repositories: readonly string[];
  /** Caches of the Hugging Face hub, which vLLM downloads to. */
  readonly hubCaches: readonly string[];
}

/** Reads the files of a vLLM model; undefined if no repository has it. Never throws, and writes nothing. */
export async function readVllmFolder(
  { name, version }: { readonly name: string; readonly version: string },
  { repositories, hubCaches }: ModelLocations,
): Promise<VllmFolder | undefined> {
  if (!isFolderName(name) || !isFolderName(version)) return undefined;
  for (const repository of repositories) {
    if (!(await isFolder(join(repository, name)))) continue;
    const file = join(repository, name, version, argumentsFile);
    const read = await readVllmArguments(file);
    if ('unread' in read) return { facts: {}, problems: [`${file} ${unreadTexts[read.unread]}`] };
    return readArguments(read.engine, { file, hubCaches });
  }
  return undefined;
}

const unreadTexts: Readonly<Record<UnreadArguments, string>> = {
  missing: 'is missing. It must contain the engine arguments of the vLLM model.',
  'not a file': 'is not a file.',
  'too large': 'is too large for engine arguments.',
  unreadable: 'cannot be read.',
  'not JSON': 'is not a JSON object.',
};

interface ArgumentsContext {
  readonly file: string;
  readonly hubCaches: readonly string[];
}

async function readArguments(engine: JsonObject, { file, hubCaches }: ArgumentsContext): Promise<VllmFolder> {
  const problems: string[] = [];
  const downloads = textOf(engine['download_dir']);
  const caches = downloads === undefined ? hubCaches : [downloads, ...hubCaches];
  const model = await locate(engine['model'], { revision: textOf(engine['revision']), caches });
  const named = engine['tokenizer'] ?? undefined;
  const tokenizer =
    named === undefined ? model : await locate(named, { revision: textOf(engine['tokenizer_revision']), caches });
  const key = named === undefined ? 'model' : 'tokenizer';
  if ('problem' in tokenizer) problems.push(`"${key}" in ${file} ${tokenizer.problem}`);
  const unusable = 'folder' in tokenizer ? await unusableFile(tokenizer.folder) : undefined;
  if (unusable !== undefined) problems.push(unusable);
  if ('folder' in tokenizer && tokenizer.isRelative)
    problems.push(`"${key}" in ${file} is a relative path, which depends on where tritonserver is started.`);
  const checkpoint = 'folder' in model ? await checkpointFacts(model.folder) : {};
  return {
    facts: { ...checkpoint, ...argumentFacts(engine) },
    ...('folder' in tokenizer && unusable === undefined ? { tokenizerDirectory: tokenizer.folder } : {}),
    namesGuideLibrary: namesGuideLibrary(engine),
    problems,
  };
}

type LocateResult = { readonly folder: string; readonly isRelative: boolean } | { readonly problem: string };

/** The folder of an engine argument: a folder on this machine, or a model in the hub's caches. */
async function locate(
  argument: unknown,
  { revision = 'main', caches }: { readonly revision?: string | undefined; readonly caches: readonly string[] },
): Promise<LocateResult> {
  const name = textOf(argument);
  if (name === undefined) return { problem: 'must be a folder or the name of a model on the Hugging Face hub.' };
  // Like vLLM, a folder takes precedence over a name. tritonserver runs in the working directory of Conch.
  if (await isFolder(name)) return { folder: name, isRelative: !isAbsolute(name) };
  const quotedName = JSON.stringify(name.slice(0, 200));
  if (!isHubName(name)) return { problem: `is ${quotedName}, which is not a folder on this machine.` };
  for (const cache of caches) {
    const folder = await cachedModel(name, revision, cache);
    if (folder !== undefined) return { folder, isRelative: false };
  }
  return {
    problem: `is ${quotedName}, which is neither a folder on this machine nor in a cache of the Hugging Face hub.`,
  };
}

const mostBytes = { 'tokenizer.json': 256 * 2 ** 20, 'tokenizer_config.json': 64 * 2 ** 20 };

/** Why a folder cannot be used as tokenizer; undefined if it can. */
async function unusableFile(folder: string): Promise<string | undefined> {
  let found = 0;
  for (const [name, most] of Object.entries(mostBytes)) {
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (!file) continue;
    if (!file.isFile()) return `${join(folder, name)} is not a file.`;
    if (file.size > most) return `${join(folder, name)} is larger than ${most} bytes.`;
    found++;
  }
  return found > 0 ? undefined : `${folder} has neither tokenizer.json nor tokenizer_config.json.`;
}

/** The facts from the engine arguments. */
function argumentFacts(engine: JsonObject): VllmFacts {
  const context = Number(engine['max_model_len']);
  const images = imageLimit(engine['limit_mm_per_prompt']);
  const task = [engine['runner'], engine['task'], engine['convert']].find((value) => kindOf(value) !== undefined);
  return {
    ...(Number.isSafeInteger(context) && context > 0 ? { context } : {}),
    ...(images === undefined ? {} : { mostImages: images }),
    ...kindOf(task),
  };
}

function imageLimit(limits: unknown): number | undefined {
  const written = typeof limits === 'string' ? parseJsonObject(limits) : limits;
  const limit = isJsonObject(written) ? written['image'] : undefined;
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0 ? limit : undefined;
}

function kindOf(task: unknown): VllmFacts | undefined {
  if (task === 'generate') return { generatesText: true, makesEmbeddings: false };
  const isPooling = task === 'pooling' || task === 'embed' || task === 'embedding';
  return isPooling ? { generatesText: false, makesEmbeddings: true } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined;
}

/** Whether a text is a single segment of a path. */
export function isFolderName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\\0]/.test(text);
}
