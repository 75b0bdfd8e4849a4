import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { ApiError } from '../errors.ts';
import type { ServerAdapters } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { type AdapterFolder, AdapterFolderError, filesOfFolder, openAdapterFolder } from './adapter-folder.ts';
import { type AdapterBook, noInputs } from './adapters.ts';
import type { ModelRegistry } from './registry.ts';
import { generatesText, type NamedModel, type ServedModel } from './served-model.ts';

/** What loading and unloading adapters works on. */
export interface AdapterServices {
  readonly models: ModelRegistry;
  readonly adapterBook: AdapterBook;
  /** The folder that adapters may be loaded from; undefined: none are. */
  readonly loraRoot: string | undefined;
}

interface AdapterToLoad {
  readonly name: string;
  readonly path: string;
  /** Left out: the only model that can take it. */
  readonly model: string | undefined;
  /** Whether it takes the place of one of the same name. */
  readonly replaces: boolean;
}

/** Makes a file or folder an adapter of a model, from the next request on. */
export async function loadAdapter(
  { name, path, model: wanted, replaces }: AdapterToLoad,
  { models, adapterBook, loraRoot }: AdapterServices,
): Promise<void> {
  if (loraRoot === undefined)
    throw refusal('lora_path', 'adapters are not loaded by path here. Start Conch with --lora-root DIR to allow it.');
  const model = wanted === undefined ? onlyModel(models) : models.findForRequest(wanted);
  const cannot = whyNot(model);
  if (cannot) throw cannot;
  const place = await placeIn(loraRoot, path);
  const engines = enginesOf(model);
  if (engines.length > 0) {
    for (const adapters of engines) await loadIntoEngine(adapters, { model, name, place, path });
    return;
  }
  try {
    const folder = await openFolderIn(loraRoot, place);
    if (!adapterBook.add(model.root, name, { taskId: folder.number, folder }, replaces)) throw taken(name);
  } catch (error) {
    throw error instanceof AdapterFolderError ? refusal('lora_path', error.message.replaceAll(place, path)) : error;
  }
}

/** Takes an adapter away from the model that has it; requests that run with it run to their end. */
export function unloadAdapter(
  { name, model: wanted }: { readonly name: string; readonly model: string | undefined },
  { models, adapterBook }: AdapterServices,
): void {
  const candidates = wanted === undefined ? rootsOf(models) : [models.findForRequest(wanted)];
  const holders = candidates.filter((model) => loadedNames(model, adapterBook).includes(name));
  const [holder, another] = holders;
  if (holder && another)
    throw refusal('model', `several models have an adapter named ${name}: ${namesOf(holders)}. Name one of them.`);
  if (!holder) {
    const [only] = candidates;
    const cannot = candidates.length === 1 && only ? whyNot(only) : undefined;
    if (cannot) throw cannot;
    throw new ApiError('not_found', `lora_name: there is no LoRA adapter named ${name}.`, { param: 'lora_name' });
  }
  for (const adapters of enginesOf(holder)) adapters.unload(holder.model, name);
  adapterBook.remove(holder.root, name);
}

async function loadIntoEngine(
  adapters: ServerAdapters,
  { model, name, place, path }: Pick<AdapterToLoad, 'name' | 'path'> & { model: ServedModel; place: string },
): Promise<void> {
  if (adapters.names(model.model).includes(name)) throw taken(name);
  try {
    await adapters.load(model.model, { name, file: place });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code === 'INVALID_ARGUMENT') throw refusal('lora_path', error.message.replaceAll(place, path));
    if (error.code !== 'NOT_FOUND') throw error;
    throw new ApiError('model_not_ready', `The model ${model.name} is not loaded any more.`, {
      param: 'model',
      cause: error,
    });
  }
}

/** Where a path leads, links followed; it must end inside the folder. */
async function placeIn(root: string, path: string): Promise<string> {
  const folder = await realRoot(root);
  const outside = () => refusal('lora_path', 'it must lie inside the folder of --lora-root.');
  const written = path.includes('\0') ? undefined : resolve(folder, path);
  const isWithin = written !== undefined && (isInside(folder, written) || written.startsWith(resolve(root) + sep));
  if (!isWithin) throw outside();
  const place = await realpath(written).catch(() => undefined);
  if (place === undefined)
    throw new ApiError('not_found', `lora_path: there is nothing at ${path}.`, { param: 'lora_path' });
  if (!isInside(folder, place)) throw outside();
  return place;
}

/** Opens the folder of an adapter. Whenever its files are read, they too must lie inside the root, links followed. */
async function openFolderIn(root: string, place: string): Promise<AdapterFolder> {
  const check = async (): Promise<void> => {
    const allowed = await realRoot(root);
    for (const file of filesOfFolder.map((name) => join(place, name))) {
      // What is not there is refused where it is read.
      const target = await realpath(file).catch(() => undefined);
      if (target !== undefined && !isInside(allowed, target))
        throw new AdapterFolderError(`${file} leads out of the folder of --lora-root.`);
    }
  };
  await check();
  const folder = await openAdapterFolder(place);
  return {
    number: folder.number,
    read: async (form) => {
      await check();
      return folder.read(form);
    },
  };
}

function realRoot(root: string): Promise<string> {
  return realpath(root).catch(() => resolve(root));
}

function isInside(folder: string, place: string): boolean {
  return place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
  const able = all.filter((model) => !whyNot(model));
  const [first, another] = able;
  if (first && another) throw refusal('model', `name the model that the adapter is for: ${namesOf(able)}.`);
  if (first) return first;
  const [only, ...others] = all;
  throw (
    (only && others.length === 0 ? whyNot(only) : undefined) ??
    refusal('model', 'no model that is served takes LoRA adapters while it runs.')
  );
}

/** Why a model cannot be given an adapter while it runs; undefined where it can. */
function whyNot(model: ServedModel): ApiError | undefined {
  if (enginesOf(model).length > 0 || model.contract.adapterForm) return undefined;
  if (!model.contract.namesAdapters) return noInputs(model.root);
  return refusal(
    'model',
    `Triton's vLLM backend reads the adapters of ${model.root} when it loads the model. ` +
      'Change multi_lora.json beside its model.json, and load the model again.',
  );
}

function enginesOf({ group }: Pick<NamedModel, 'group'>): ServerAdapters[] {
  return group.servers.flatMap(({ adapters }) => adapters ?? []);
}

function loadedNames(model: ServedModel, book: AdapterBook): readonly string[] {
  return [...enginesOf(model).flatMap((adapters) => adapters.names(model.model)), ...book.names(model.root)];
}

function namesOf(models: readonly ServedModel[]): string {
  return models.map(({ name }) => name).join(', ');
}

function taken(name: string): ApiError {
  return refusal('lora_name', `there is a LoRA adapter named ${name} already. Unload it first.`);
}

function refusal(param: string, text: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${text}`, { param });
}
