import { createHash } from 'node:crypto';
import type { CommandInput } from '../config/load.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import { originOf } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { ApiError } from '../errors.ts';
import { AdapterFolderError, openAdapterFolder } from '../models/adapter-folder.ts';
import {
  AdapterRegistry,
  inServerFolders,
  type ModelAdapters,
  namedByServer,
  namedBySettings,
  noAdapters,
  type ServerFolders,
} from '../models/adapters.ts';
import { adapterQuery, adaptersInRepository } from '../models/query-adapters.ts';
import type { FoundServedModel } from '../models/registry-options.ts';
import type { ServedModel } from '../models/served-model.ts';
import { repositoryAdapters } from './repository-adapters.ts';

type Settings = CommandInput['settings'];

/** Finds the adapters of a model: those of the settings, else those of its server or its repository. */
export type AdapterFinder = (found: FoundServedModel, own: ModelSettings) => ModelAdapters;

/** A model that generates text: only these have adapters. */
type AdaptableModel = FoundServedModel & Pick<ServedModel, 'contract'>;

/** Reads and checks the adapters whose folders are in the settings. */
export async function openAdapterRegistry(settings: Settings): Promise<AdapterRegistry> {
  const registry = new AdapterRegistry();
  const problems: string[] = [];
  for (const { model, name, where, taskId, folder: locate } of await configuredAdapters(settings)) {
    try {
      const folder = await openAdapterFolder(await locate());
      if (!registry.add(model, name, { taskId: taskId ?? folder.number, folder }))
        problems.push(`${where}: the settings have another adapter with this name. Rename one of them.`);
    } catch (error) {
      if (!(error instanceof AdapterFolderError)) throw error;
      problems.push(`${where}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return registry;
}

interface ConfiguredAdapter {
  readonly model: string;
  readonly name: string;
  /** Where it is configured, for errors. */
  readonly where: string;
  readonly taskId?: number | undefined;
  readonly folder: () => Promise<string>;
}

/** The adapters of the settings, and those of the repositories on this machine. */
async function configuredAdapters(settings: Settings): Promise<ConfiguredAdapter[]> {
  const set = Object.entries(settings.models).flatMap(([model, { lora }]) =>
    lora === undefined || isList(lora)
      ? []
      : Object.entries(lora).flatMap(([name, { dir, task_id: taskId }]) => {
          if (dir === undefined) return [];
          const { where } = originOf(settings, `models.${model}.lora`);
          return [{ model, name, where: `${where}: models.${model}.lora.${name}`, taskId, folder: async () => dir }];
        }),
  );
  const found = await repositoryAdapters(settings.modelRepository);
  return [
    ...set,
    ...found.map((adapter) => ({ ...adapter, where: [adapter.file, adapter.name].filter(Boolean).join(': ') })),
  ];
}

export function adapterFinder({ modelRepository, triton }: Settings, registry: AdapterRegistry): AdapterFinder {
  return (model, { lora }) => {
    if (model.contract === undefined) return noAdapters;
    const found = model as AdaptableModel;
    const { root, contract } = found;
    if (contract.takesAdapterPaths && contract.namesAdapters)
      return registry.withFolders(
        root,
        lora && !isList(lora) ? serverAdapters(root, lora) : namedAdapters(found, lora),
      );
    if (contract.takesAdapterPaths) return serverAdapters(root, lora);
    if (lora && !isList(lora) && Object.values(lora).some(({ dir }) => dir === undefined))
      return misconfiguredAdapters(
        root,
        "a map of adapter names to dir: only TensorRT-LLM's LLM API (1.3 and later) and Conch's own vLLM model take server_path",
      );
    if (!contract.namesAdapters)
      return isList(lora)
        ? misconfiguredAdapters(root, 'a map of adapter names to folders, not a list of names')
        : registry.sentTo(found);
    if (lora && !isList(lora))
      return misconfiguredAdapters(root, 'a list of adapter names on the server, not a map of folders');
    return namedAdapters(found, lora);
  };

  /** The adapters that the server knows by name. */
  function namedAdapters(found: AdaptableModel, lora: readonly string[] | undefined): ModelAdapters {
    if (lora) return namedBySettings(lora);
    const engines = found.group.servers.flatMap(({ adapters }) => adapters ?? []);
    if (engines.length > 0)
      return namedByServer(async () => engines.flatMap((adapters) => adapters.names(found.model)));
    const ask = adapterQuery(found);
    // With remote servers, the model may be on one of them, where its files are too.
    const repositories = triton.length > 0 ? [] : modelRepository;
    return namedByServer(async () => (await adaptersInRepository(repositories, found)) ?? ask());
  }
}

/** The adapters of a model that loads them from folders of its server. */
function serverAdapters(root: string, lora: ModelSettings['lora']): ModelAdapters {
  const expected = 'a map of adapter names to server_path, the folders on the server';
  if (isList(lora)) return misconfiguredAdapters(root, expected);
  const folders: ServerFolders = new Map();
  for (const [name, { server_path: path, source, task_id: id }] of Object.entries(lora ?? {})) {
    if (path === undefined) return misconfiguredAdapters(root, expected);
    folders.set(name, { id: id ?? numberOf([name, path, source ?? '']), path, source });
  }
  return inServerFolders(folders);
}

/** A number for an adapter without one. The engine caches adapters by number, so another path has another number. */
function numberOf(parts: readonly string[]): number {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUIntBE(0, 6);
}

/** Adapters in settings that do not fit the model's contract. */
function misconfiguredAdapters(model: string, expected: string): ModelAdapters {
  return {
    names: async () => [],
    choose: () => {
      throw new ApiError('model_not_found', `The setting models.${model}.lora must be ${expected}.`, {
        param: 'model',
      });
    },
  };
}

function isList(lora: ModelSettings['lora']): lora is readonly string[] & ModelSettings['lora'] {
  return Array.isArray(lora);
}
