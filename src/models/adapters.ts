import type { GenerationContract } from '../contracts/contract.ts';
import { unknownAdapter } from '../contracts/unknown-adapter.ts';
import { ApiError } from '../errors.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { AdapterFolder } from './adapter-folder.ts';
import type { ServedModel } from './served-model.ts';

/** A LoRA adapter whose weights are sent to the engine, which knows it by a number. */
export interface SentAdapter {
  readonly taskId: number;
  readonly folder: Pick<AdapterFolder, 'read'>;
  /** The servers that were sent it, and may have forgotten it since. */
  readonly sentTo: WeakSet<InferenceServer>;
}

/** The LoRA adapters of a served model. */
export interface ModelAdapters {
  /** The names that may stand behind the model's; undefined where its server alone knows them and did not say. */
  names(): Promise<readonly string[] | undefined>;
  /** What a request for an adapter carries; undefined where the model has none of any kind, an error for an unknown one. */
  choose(name: string): Pick<ServedModel, 'loraName' | 'loraTaskId' | 'sentAdapter'> | undefined;
}

/** What is known of a model before it has adapters. */
interface AdaptedModel {
  readonly root: string;
  readonly contract: Pick<GenerationContract, 'namesAdapters' | 'adapterForm' | 'kind'>;
}

/** The adapters that are sent to engines: those of the settings, and those that were loaded since. */
export class AdapterBook {
  /** By the model on the servers, then by the adapter. */
  readonly #sent = new Map<string, Map<string, SentAdapter>>();

  /** Adds an adapter. False where the name is taken, unless the new one `replaces` the old one. */
  add(root: string, name: string, adapter: Omit<SentAdapter, 'sentTo'>, replaces = false): boolean {
    const adapters = this.#sent.get(root) ?? new Map<string, SentAdapter>();
    if (adapters.has(name) && !replaces) return false;
    this.#sent.set(root, adapters.set(name, { ...adapter, sentTo: new WeakSet() }));
    return true;
  }

  /** Forgets an adapter; requests that run with it run to their end. False where there is none of that name. */
  remove(root: string, name: string): boolean {
    return this.#sent.get(root)?.delete(name) ?? false;
  }

  names(root: string): readonly string[] {
    return [...(this.#sent.get(root)?.keys() ?? [])];
  }

  /** The adapters of a model whose requests carry weights. */
  sentTo({ root, contract }: AdaptedModel): ModelAdapters {
    return {
      names: async () => (contract.adapterForm ? this.names(root) : []),
      choose: (name) => {
        const names = this.names(root);
        if (names.length === 0) return undefined;
        if (!contract.adapterForm) throw noInputs(root);
        const adapter = this.#sent.get(root)?.get(name);
        if (!adapter) throw unknownAdapter(name, names);
        return { loraTaskId: adapter.taskId, sentAdapter: adapter };
      },
    };
  }
}

/** Those of a model that takes none. */
export const noAdapters: ModelAdapters = { names: async () => [], choose: () => undefined };

/** The adapters of a model whose server knows them by name; whether there is such a one, that server says. */
export function namedByServer(ask: () => Promise<readonly string[] | undefined>): ModelAdapters {
  return { names: ask, choose: (loraName) => ({ loraName, loraTaskId: undefined }) };
}

/** The same where the settings name them all. */
export function namedBySettings(names: readonly string[]): ModelAdapters {
  return {
    names: async () => names,
    choose: (loraName) => {
      if (!names.includes(loraName)) throw unknownAdapter(loraName, names);
      return { loraName, loraTaskId: undefined };
    },
  };
}

/** A model to which no adapter can be sent. */
export function noInputs(model: string): ApiError {
  return new ApiError(
    'model_not_found',
    `The model ${JSON.stringify(model)} takes no LoRA adapters: it has no inputs lora_task_id, lora_weights and lora_config.`,
    { param: 'model' },
  );
}
