import type { AdapterPath, GenerationContract } from '../contracts/contract.ts';
import { unknownAdapter } from '../contracts/unknown-adapter.ts';
import { ApiError } from '../errors.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { AdapterFolder } from './adapter-folder.ts';
import type { ServedModel } from './served-model.ts';

/** A LoRA adapter whose weights are sent to the engine, which identifies it by a number. */
export interface SentAdapter {
  readonly taskId: number;
  readonly folder: Pick<AdapterFolder, 'read'>;
  /** The servers that received it. They may have evicted it since. */
  readonly sentTo: WeakSet<InferenceServer>;
}

/** The LoRA adapters of a served model. */
export interface ModelAdapters {
  /** The names that may follow the model's name; undefined if only its server knows them and did not return them. */
  names(): Promise<readonly string[] | undefined>;
  /** The adapter's fields of a request; undefined if the model has no adapters. Throws for an unknown name. */
  choose(name: string): Pick<ServedModel, 'loraName' | 'loraTaskId' | 'sentAdapter' | 'adapterPath'> | undefined;
}

/** A model, as far as its adapters depend on it. */
interface AdaptedModel {
  readonly root: string;
  readonly contract: Pick<GenerationContract, 'namesAdapters' | 'adapterFormat' | 'kind'>;
}

/** The adapters whose weights or folders requests carry: those of the settings, and those that were loaded later. */
export class AdapterRegistry {
  /** By the model on the servers, then by the adapter. */
  readonly #sent = new Map<string, Map<string, SentAdapter>>();
  readonly #folders = new Map<string, ServerFolders>();

  /** Adds an adapter. Returns false if the name is in use, unless the new adapter `replaces` the old one. */
  add(root: string, name: string, adapter: Omit<SentAdapter, 'sentTo'>, replaces = false): boolean {
    const adapters = this.#sent.get(root) ?? new Map<string, SentAdapter>();
    if (adapters.has(name) && !replaces) return false;
    this.#sent.set(root, adapters.set(name, { ...adapter, sentTo: new WeakSet() }));
    return true;
  }

  /** Adds an adapter in a folder of the server. */
  addFolder(root: string, name: string, path: AdapterPath): void {
    this.#folders.set(root, (this.#folders.get(root) ?? new Map()).set(name, path));
  }

  /** Removes an adapter. Running requests can finish with it. Returns false if there is none of that name. */
  remove(root: string, name: string): boolean {
    const wasFolder = this.#folders.get(root)?.delete(name) ?? false;
    return (this.#sent.get(root)?.delete(name) ?? false) || wasFolder;
  }

  names(root: string): readonly string[] {
    return [...(this.#sent.get(root)?.keys() ?? []), ...(this.#folders.get(root)?.keys() ?? [])];
  }

  /** The adapters of a model whose requests may name a folder: those that were loaded later come first. */
  withFolders(root: string, others: ModelAdapters): ModelAdapters {
    return {
      names: async () => {
        const [known, loaded] = [await others.names(), this.names(root)];
        return known === undefined && loaded.length === 0 ? undefined : [...(known ?? []), ...loaded];
      },
      choose: (name) => {
        const adapterPath = this.#folders.get(root)?.get(name);
        return adapterPath ? { loraName: name, adapterPath, loraTaskId: undefined } : others.choose(name);
      },
    };
  }

  /** The adapters of a model whose requests carry weights. */
  sentTo({ root, contract }: AdaptedModel): ModelAdapters {
    return {
      names: async () => (contract.adapterFormat ? this.names(root) : []),
      choose: (name) => {
        const names = this.names(root);
        if (names.length === 0) return undefined;
        if (!contract.adapterFormat) throw noInputs(root);
        const adapter = this.#sent.get(root)?.get(name);
        if (!adapter) throw unknownAdapter(name, names);
        return { loraTaskId: adapter.taskId, sentAdapter: adapter };
      },
    };
  }
}

/** For a model without adapters. */
export const noAdapters: ModelAdapters = { names: async () => [], choose: () => undefined };

/** The adapters of a model whose server knows them by name. The server rejects unknown names. */
export function namedByServer(ask: () => Promise<readonly string[] | undefined>): ModelAdapters {
  return { names: ask, choose: (loraName) => ({ loraName, loraTaskId: undefined }) };
}

/** The same, for adapters that are all listed in the settings. */
export function namedBySettings(names: readonly string[]): ModelAdapters {
  return {
    names: async () => names,
    choose: (loraName) => {
      if (!names.includes(loraName)) throw unknownAdapter(loraName, names);
      return { loraName, loraTaskId: undefined };
    },
  };
}

/** Adapters in folders of the server, by name. */
export type ServerFolders = Map<string, AdapterPath>;

/** The same, for adapters in folders of the server. */
export function inServerFolders(folders: Readonly<ServerFolders>): ModelAdapters {
  const names = [...folders.keys()];
  return {
    names: async () => names,
    choose: (loraName) => {
      if (names.length === 0) return undefined;
      const adapterPath = folders.get(loraName);
      if (!adapterPath) throw unknownAdapter(loraName, names);
      return { loraName, adapterPath, loraTaskId: undefined };
    },
  };
}

/** The error for a model without inputs for adapters. */
export function noInputs(model: string): ApiError {
  return new ApiError(
    'model_not_found',
    `The model ${JSON.stringify(model)} does not support LoRA adapters: it has no inputs lora_task_id, lora_weights and lora_config.`,
    { param: 'model' },
  );
}
