import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { ApiError } from '../errors.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import type { InferenceServer, ServerAdapters } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { type AdapterFolder, AdapterFolderError, filesOfFolder, openAdapterFolder } from './adapter-folder.ts';
import { type AdapterRegistry, noInputs } from './adapters.ts';
import type { ModelRegistry } from './registry.ts';
import { generatesText, type NamedModel, type ServedModel } from './served-model.ts';

/** What loading and unloading adapters needs. */
export interface AdapterServices {
  readonly models: ModelRegistry;
  readonly adapterRegistry: AdapterRegistry;
  /** The folder that adapters may be loaded from; undefined: loading by path is disabled. */
  readonly loraRoot: string | undefined;
}

interface AdapterToLoad {
  readonly name: string;
  readonly path: string;
  /** Undefined: the only model that supports it. */
  readonly model: string | undefined;
  /** Whether it replaces an adapter of the same name. */
  readonly replaces: boolean;
}

/** Loads an adapter of a model from a file or folder, for all following requests. */
export async function loadAdapter(
  { name, path, model: modelName, replaces }: AdapterToLoad,
  { models, adapterRegistry, loraRoot }: AdapterServices,
): Promise<void> {
  if (loraRoot === undefined)
    throw refusal('lora_path', 'loading adapters by path is disabled. Start Conch with --lora-root DIR to allow it.');
  const model = modelName === undefined ? onlyModel(models) : models.findForRequest(modelName);
  const cannot = unsupportedReason(model);
  if (cannot) throw cannot;
  if (takesFolders(model)) {
    await loadOnServers(model, { name, path, replaces }, adapterRegistry);
    return;
  }
  const resolvedPath = await resolveInside(loraRoot, path);
  const engines = enginesOf(model);
  if (engines.length > 0) {
    for (const adapters of engines) await loadIntoEngine(adapters, { model, name, resolvedPath, path });
    return;
  }
  try {
    const folder = await openFolderIn(loraRoot, resolvedPath);
    if (!adapterRegistry.add(model.root, name, { taskId: folder.number, folder }, replaces)) throw alreadyLoaded(name);
  } catch (error) {
    throw error instanceof AdapterFolderError
      ? refusal('lora_path', error.message.replaceAll(resolvedPath, path))
      : error;
  }
}

/** Unloads an adapter from its model. Running requests can finish with it. */
export function unloadAdapter(
  { name, model: modelName }: { readonly name: string; readonly model: string | undefined },
  { models, adapterRegistry }: AdapterServices,
): void {
  const candidates = modelName === undefined ? rootsOf(models) : [models.findForRequest(modelName)];
  const holders = candidates.filter((model) => loadedNames(model, adapterRegistry).includes(name));
  const [holder, another] = holders;
  if (holder && another)
    throw refusal(
      'model',
      `several models have an adapter named ${name}: ${namesOf(holders)}. Set model to one of them.`,
    );
  if (!holder) {
    const [only] = candidates;
    const cannot = candidates.length === 1 && only ? unsupportedReason(only) : undefined;
    if (cannot) throw cannot;
    throw new ApiError('not_found', `lora_name: the LoRA adapter ${name} does not exist.`, { param: 'lora_name' });
  }
  for (const adapters of enginesOf(holder)) adapters.unload(holder.model, name);
  adapterRegistry.remove(holder.root, name);
}

/** Lets each server of a model load an adapter from a folder of its own, with a request of one token. */
async function loadOnServers(
  model: ServedModel,
  { name, path, replaces }: Omit<AdapterToLoad, 'model'>,
  registry: AdapterRegistry,
): Promise<void> {
  const known = (await model.adapters.names()) ?? [];
  if (known.includes(name) && !(replaces && registry.names(model.root).includes(name))) throw alreadyLoaded(name);
  // The server gives each folder a number of its own.
  const adapterPath = { id: 0, path };
  const { contract, version, group } = model;
  const request = contract.encode({
    id: 'conch-load-adapter',
    model: model.model,
    version,
    prompt: 'a',
    sampling: { maxTokens: 1, temperature: 0 },
    stream: false,
    loraName: name,
    adapterPath,
  });
  const load = async (server: InferenceServer): Promise<void> => {
    try {
      await untilEnd((sink) => server.stream(request, sink, { timeout: longestLoad }));
    } catch (error) {
      const explained = error instanceof StatusError ? contract.explain(error) : undefined;
      if (explained?.param !== 'model') throw explained ?? error;
      throw refusal('lora_path', explained.message.replace(/^lora_path:? /, ''));
    }
  };
  await Promise.all(group.servers.map(load));
  // Another request may have loaded one of this name meanwhile.
  if (!replaces && registry.names(model.root).includes(name)) throw alreadyLoaded(name);
  registry.addFolder(model.root, name, adapterPath);
}

/** Milliseconds that a server has to load an adapter. */
const longestLoad = 120_000;

function takesFolders({ contract }: ServedModel): boolean {
  return contract.takesAdapterPaths === true && contract.namesAdapters === true;
}

async function loadIntoEngine(
  adapters: ServerAdapters,
  {
    model,
    name,
    resolvedPath,
    path,
  }: Pick<AdapterToLoad, 'name' | 'path'> & { model: ServedModel; resolvedPath: string },
): Promise<void> {
  if (adapters.names(model.model).includes(name)) throw alreadyLoaded(name);
  try {
    await adapters.load(model.model, { name, file: resolvedPath });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code === 'INVALID_ARGUMENT') throw refusal('lora_path', error.message.replaceAll(resolvedPath, path));
    if (error.code !== 'NOT_FOUND') throw error;
    throw new ApiError('model_not_ready', `The model ${model.name} was unloaded. Load it and try again.`, {
      param: 'model',
      cause: error,
    });
  }
}

/** Resolves a path and its links. The result must be inside the folder. */
async function resolveInside(root: string, path: string): Promise<string> {
  const folder = await realRoot(root);
  const outside = () => refusal('lora_path', 'the path must be inside the --lora-root folder.');
  const written = path.includes('\0') ? undefined : resolve(folder, path);
  const isWithin = written !== undefined && (isInside(folder, written) || written.startsWith(resolve(root) + sep));
  if (!isWithin) throw outside();
  const resolvedPath = await realpath(written).catch(() => undefined);
  if (resolvedPath === undefined)
    throw new ApiError('not_found', `lora_path: ${path} does not exist.`, { param: 'lora_path' });
  if (!isInside(folder, resolvedPath)) throw outside();
  return resolvedPath;
}

/** Opens the folder of an adapter. Each time its files are read, they must be inside the root too, links followed. */
async function openFolderIn(root: string, resolvedPath: string): Promise<AdapterFolder> {
  const check = async (): Promise<void> => {
    const allowed = await realRoot(root);
    for (const file of filesOfFolder.map((name) => join(resolvedPath, name))) {
      // A missing file is reported where it is read.
      const target = await realpath(file).catch(() => undefined);
      if (target !== undefined && !isInside(allowed, target))
        throw new AdapterFolderError(`${file} is a link to a file outside the --lora-root folder.`);
    }
  };
  await check();
  const folder = await openAdapterFolder(resolvedPath);
  return {
    number: folder.number,
    read: async (format) => {
      await check();
      return folder.read(format);
    },
  };
}

function realRoot(root: string): Promise<string> {
  return realpath(root).catch(() => resolve(root));
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The models by their own names. */
function rootsOf(models: ModelRegistry): ServedModel[] {
  return models
    .list()
    .filter(generatesText)
    .filter(({ name, root }) => name === root);
}

function onlyModel(models: ModelRegistry): ServedModel {
  const all = rootsOf(models);
  const able = all.filter((model) => !unsupportedReason(model));
  const [first, another] = able;
  if (first && another)
    throw refusal('model', `several models support LoRA adapters: ${namesOf(able)}. Set model to one of them.`);
  if (first) return first;
  const [only, ...others] = all;
  throw (
    (only && others.length === 0 ? unsupportedReason(only) : undefined) ??
    refusal('model', 'no served model can load LoRA adapters at run time.')
  );
}

/** Why a model cannot load adapters at run time; undefined if it can. */
function unsupportedReason(model: ServedModel): ApiError | undefined {
  if (enginesOf(model).length > 0 || model.contract.adapterFormat || takesFolders(model)) return undefined;
  if (model.contract.takesAdapterPaths)
    return refusal(
      'model',
      `the adapters of ${model.root} are folders on its server. Set them under models.${model.root}.lora in the configuration file.`,
    );
  if (!model.contract.namesAdapters) return noInputs(model.root);
  return refusal(
    'model',
    `Triton's vLLM backend reads the adapters of ${model.root} only when it loads the model. ` +
      'Edit multi_lora.json next to its model.json, then reload the model.',
  );
}

function enginesOf({ group }: Pick<NamedModel, 'group'>): ServerAdapters[] {
  return group.servers.flatMap(({ adapters }) => adapters ?? []);
}

function loadedNames(model: ServedModel, registry: AdapterRegistry): readonly string[] {
  return [...enginesOf(model).flatMap((adapters) => adapters.names(model.model)), ...registry.names(model.root)];
}

function namesOf(models: readonly ServedModel[]): string {
  return models.map(({ name }) => name).join(', ');
}

function alreadyLoaded(name: string): ApiError {
  return refusal('lora_name', `the LoRA adapter ${name} is already loaded. Unload it first.`);
}

function refusal(param: string, text: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${text}`, { param });
}
