import { open, readdir } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { isFile } from '../file-kind.ts';
import { type Finding, ModelError } from './finding.ts';
import { type ModelFolder } from './model-folder.ts';
import { suggest } from './pbtxt/suggest.ts';

/** The configuration of a model of the backend llamacpp. The engine chooses what is left out. */
export interface LlamacppModel {
  /** The GGUF file of each version that is served. */
  readonly files: ReadonlyMap<number, string>;
  /** Tokens of context of one sequence. */
  readonly contextLength: number | undefined;
  /** How many requests decode at the same time. */
  readonly sequences: number | undefined;
  readonly adapters: readonly LlamacppAdapter[];
}

/** A LoRA adapter and its name in requests. */
export interface LlamacppAdapter {
  readonly name: string;
  readonly file: string;
}

/** The parameters that a config.pbtxt of the backend llamacpp may set. */
export const llamacppParameters = ['model_path', 'context_length', 'sequences', 'lora'] as const;

type ParameterName = (typeof llamacppParameters)[number];

interface LlamacppResult {
  readonly model: LlamacppModel;
  readonly findings: readonly Finding[];
}

/** Reads a model of the backend llamacpp. Throws a ModelError for a missing file or a wrong value. */
export async function describeLlamacpp(source: ModelFolder, versions: readonly number[]): Promise<LlamacppResult> {
  const parameters = new Parameters(source);
  const files = new Map<number, string>();
  for (const version of versions) files.set(version, await modelFile(source, version, parameters));
  const adapters = adaptersOf(source, parameters);
  for (const { file } of adapters) await checkGguf(file, parameters.locationOf('lora'));
  return {
    model: {
      files,
      contextLength: parameters.count('context_length'),
      sequences: parameters.count('sequences'),
      adapters,
    },
    findings: parameters.strangers(),
  };
}

class Parameters {
  readonly #source: ModelFolder;

  constructor(source: ModelFolder) {
    this.#source = source;
  }

  text(name: ParameterName): string | undefined {
    return this.#source.read?.config.parameters[name]?.string_value;
  }

  locationOf(name: string): Pick<Finding, 'file' | 'position'> {
    return { file: this.#source.configFile, position: this.#source.read?.positions.get(`parameters[${name}]`) };
  }

  count(name: ParameterName): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[1-9]\d{0,8}$/.test(text.trim())) return Number(text);
    throw new ModelError(
      `${name} must be a whole number of at least 1, not ${JSON.stringify(text)}.`,
      this.locationOf(name),
    );
  }

  strangers(): readonly Finding[] {
    const names = Object.keys(this.#source.read?.config.parameters ?? {});
    const known: readonly string[] = llamacppParameters;
    return names
      .filter((name) => !known.includes(name))
      .map((name) => ({
        severity: 'warning',
        ...this.locationOf(name),
        text: `the backend llamacpp ignores the parameter ${name}.${suggest(name, known)}`,
      }));
  }
}

async function modelFile(source: ModelFolder, version: number, parameters: Parameters): Promise<string> {
  const path = parameters.text('model_path');
  if (path !== undefined) {
    const file = insideModel(source.folder, path, parameters.locationOf('model_path'));
    await checkGguf(file, parameters.locationOf('model_path'));
    return file;
  }
  const fileName = source.read?.config.default_model_filename || 'model.gguf';
  const folder = join(source.folder, String(version));
  const file = insideModel(folder, fileName, { file: source.configFile });
  if (!(await isFile(file)))
    throw new ModelError(`${fileName} is missing.${await alternatives(folder)}`, { file: folder });
  await checkGguf(file, { file });
  return file;
}

/** A hint for a folder that has another GGUF file than the expected one. */
async function alternatives(folder: string): Promise<string> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.gguf'));
  const [name] = names.toSorted();
  return name === undefined
    ? ''
    : ` The folder has ${name}: rename it, or set default_model_filename: ${JSON.stringify(name)}.`;
}

/**
 * A path of a configuration. A relative path must stay inside the model's folder, so that a repository can be moved and
 * a copy of it uses no other files. A file elsewhere needs an absolute path.
 */
function insideModel(folder: string, path: string, location: Pick<Finding, 'file' | 'position'>): string {
  if (path === '') throw new ModelError('the path is empty.', location);
  if (isAbsolute(path)) return path;
  const file = resolve(folder, path);
  const inside = relative(resolve(folder), file);
  if (inside === '..' || inside.startsWith('../') || inside.startsWith('..\\')) {
    throw new ModelError(
      `${path} is outside the model's folder: use an absolute path, or move the file into the folder.`,
      location,
    );
  }
  return file;
}

function adaptersOf({ folder }: ModelFolder, parameters: Parameters): readonly LlamacppAdapter[] {
  const location = parameters.locationOf('lora');
  const items = (parameters.text('lora') ?? '').split(',').map((item) => item.trim());
  const adapters = items
    .filter((item) => item !== '')
    .map((item) => {
      const equals = item.indexOf('=');
      const path = item.slice(equals + 1).trim();
      const name = equals < 0 ? basename(path).replace(/\.gguf$/, '') : item.slice(0, equals).trim();
      if (name === '') throw new ModelError(`an adapter in lora has no name: use name=path, not ${item}.`, location);
      return { name, file: insideModel(folder, path, location) };
    });
  const twice = adapters.find(({ name }, at) => adapters.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new ModelError(`lora has the adapter ${twice.name} twice.`, location);
  return adapters;
}

async function checkGguf(file: string, location: Pick<Finding, 'file' | 'position'>): Promise<void> {
  const problem = await ggufProblem(file);
  if (problem !== undefined) throw new ModelError(problem, location);
}

/** Why a file is not usable as GGUF file. It reads only the first bytes: the engine checks the rest. */
export async function ggufProblem(file: string): Promise<string | undefined> {
  if (!(await isFile(file))) return `${file} does not exist.`;
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return `${file} cannot be read.`;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'GGUF' ? undefined : `${file} is not a GGUF file.`;
  } finally {
    await handle.close();
  }
}
