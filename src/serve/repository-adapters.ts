import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parseJsonObject } from '../json-object.ts';
import { AdapterFolderError } from '../models/adapter-folder.ts';

/** A LoRA adapter of a TensorRT-LLM model in a repository on this machine. */
interface RepositoryAdapter {
  readonly model: string;
  readonly name: string;
  /** The multi_lora.json that lists it. */
  readonly file: string;
  /** Its folder; rejects with an AdapterFolderError if that is outside the repository. */
  readonly folder: () => Promise<string>;
}

/**
 * The adapters of TensorRT-LLM models, found like Triton's own frontend does: multi_lora.json in the newest version of a
 * model maps names to folders, relative to the repository. Next to a model.json, it belongs to vLLM.
 */
export async function repositoryAdapters(repositories: readonly string[]): Promise<readonly RepositoryAdapter[]> {
  const found = await Promise.all(
    repositories.map(async (repository) => {
      const models = await foldersIn(repository);
      const adapters = await Promise.all(models.map((model) => adaptersOf(repository, model)));
      return adapters.flat();
    }),
  );
  return found.flat();
}

async function adaptersOf(repository: string, model: string): Promise<RepositoryAdapter[]> {
  const versions = (await foldersIn(join(repository, model))).filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
  const folder = join(repository, model, String(Math.max(...versions)));
  const file = join(folder, 'multi_lora.json');
  const text = versions.length === 0 ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || (await stat(join(folder, 'model.json')).catch(() => undefined))) return [];
  return Object.entries(parseJsonObject(text) ?? { '': '' }).map(([name, path]) => ({
    model,
    name,
    file,
    folder: () => folderIn(repository, { name, path }),
  }));
}

async function folderIn(
  repository: string,
  { name, path }: { readonly name: string; readonly path: unknown },
): Promise<string> {
  if (name === '' || typeof path !== 'string' || path === '')
    throw new AdapterFolderError('The file must be a JSON object that maps adapter names to folders.');
  const root = await realpath(repository);
  const target = await realpath(join(root, path)).catch(() => undefined);
  if (target === undefined) throw new AdapterFolderError(`The folder ${path} does not exist in ${repository}.`);
  if (!target.startsWith(root + sep)) throw new AdapterFolderError(`The folder ${path} must be inside ${repository}.`);
  return target;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch(() => []);
  const kinds = await Promise.all(entries.map((entry) => stat(join(folder, entry)).catch(() => undefined)));
  return entries.filter((_, at) => kinds[at]?.isDirectory());
}
