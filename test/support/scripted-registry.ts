import type { ControlCalls, ControlMethod, ModelConfig } from '../../src/kserve/messages.ts';
import type { InferenceServer } from '../../src/kserve/server.ts';
import type { ServerGroup } from '../../src/kserve/server-group.ts';
import { ModelRegistry } from '../../src/models/registry.ts';
import type { RegistryOptions } from '../../src/models/registry-options.ts';
import type { ServedModel } from '../../src/models/served-model.ts';

interface Entry {
  readonly name: string;
  readonly state?: string;
  readonly reason?: string;
  readonly config?: Partial<ModelConfig> | Error;
}

export const text = (name: string) => ({ name, data_type: 'TYPE_STRING', dims: [1] });
export const speaks = { input: [text('text_input'), text('sampling_parameters')], output: [text('text_output')] };

/** A server whose models and states a test sets. */
export class ScriptedServer implements InferenceServer {
  readonly name: string;
  entries: readonly Entry[] | Error;

  constructor(name: string, entries: readonly Entry[]) {
    this.name = name;
    this.entries = entries;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
  ): Promise<ControlCalls[Method]['response']> {
    if (this.entries instanceof Error) throw this.entries;
    const responses: Partial<Record<ControlMethod, unknown>> = {
      RepositoryIndex: {
        models: this.entries.map(({ name, state = 'READY', reason = '' }) => ({ name, version: '1', state, reason })),
      },
      ModelConfig: { config: this.#config((request as { name?: string }).name ?? '') },
    };
    return responses[method] as ControlCalls[Method]['response'];
  }

  #config(name: string): ModelConfig {
    const entry = (this.entries as readonly Entry[]).find((candidate) => candidate.name === name);
    if (entry?.config instanceof Error) throw entry.config;
    const base = { name, platform: '', backend: 'vllm', max_batch_size: 0, parameters: {}, ...speaks };
    return { ...base, ...entry?.config };
  }

  infer(): never {
    throw new Error('not asked for here');
  }

  stream(): never {
    throw new Error('not asked for here');
  }

  async close(): Promise<void> {
    this.entries = [];
  }
}

/** A group that is only looked at. */
export const groupOf = (_model: string, servers: readonly InferenceServer[]): ServerGroup => ({
  servers,
  stream: () => {
    throw new Error('Nothing is sent here.');
  },
  again: async () => false,
});

export function registryOf(
  servers: readonly InferenceServer[],
  aliases: ReadonlyMap<string, string> = new Map(),
  options: Pick<RegistryOptions, 'engineFailure' | 'engineOutlook' | 'expectedModels'> = {},
) {
  return new ModelRegistry({
    ...options,
    servers,
    refreshInterval: 1_000_000,
    hints: () => ({}),
    groupOf,
    loraSeparator: '_lora_',
    aliases,
    describe: (found) => ({ ...found, tokenizerName: '-' }) as unknown as ServedModel,
  });
}

export function errorOf(action: () => unknown): { code: string; message: string } {
  try {
    action();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
  throw new Error('nothing was thrown');
}
