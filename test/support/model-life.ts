import type { ApiError } from '../../src/errors.ts';
import type { ControlCalls, ControlMethod, ModelConfig } from '../../src/kserve/messages.ts';
import type { InferenceServer } from '../../src/kserve/server.ts';
import { StatusError } from '../../src/kserve/status.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { type Link, SingleProcessLink } from '../../src/link.ts';
import { namedBySettings, noAdapters } from '../../src/models/adapters.ts';
import { Admission, type AdmissionLimits } from '../../src/models/admission.ts';
import type { ModelHints } from '../../src/models/fit.ts';
import { LoadOnDemand } from '../../src/models/load-on-demand.ts';
import { ModelControl } from '../../src/models/model-control.ts';
import { ModelGate } from '../../src/models/model-gate.ts';
import { ModelRegistry } from '../../src/models/registry.ts';
import { RunningRequests } from '../../src/models/running-requests.ts';
import type { ServedModel } from '../../src/models/served-model.ts';
import { SharedRequests } from '../../src/models/shared-requests.ts';
import { noWatch } from '../../src/request-watch.ts';
import { speaks, text } from './scripted-registry.ts';

export const nothing = { input: [], output: [] };
export const vectors = { input: [text('text')], output: [{ name: 'embedding', data_type: 'TYPE_FP32', dims: [8] }] };

/** A server in explicit mode that writes down what it is asked to do. */
export class ExplicitServer implements InferenceServer {
  readonly name = 'server';
  readonly orders: string[] = [];
  readonly ready = new Set<string>();
  /** Models whose configuration cannot be read. */
  readonly silent = new Set<string>();
  readonly #configs: Readonly<Record<string, Partial<ModelConfig>>>;

  constructor(configs: Readonly<Record<string, Partial<ModelConfig>>>) {
    this.#configs = configs;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
  ): Promise<ControlCalls[Method]['response']> {
    const { name = '', model_name: model = '' } = request as { name?: string; model_name?: string };
    if (method === 'RepositoryModelLoad') this.#load(model);
    if (method === 'RepositoryModelUnload' && model !== '/') {
      this.orders.push(`unload ${model}`);
      this.ready.delete(model);
    }
    if (method === 'ModelConfig' && this.silent.has(name)) throw new StatusError('UNAVAILABLE', 'busy');
    const base = { name, platform: '', backend: 'vllm', max_batch_size: 0, parameters: {}, ...speaks };
    const responses: Partial<Record<ControlMethod, unknown>> = {
      RepositoryIndex: {
        models: Object.keys(this.#configs).map((row) => ({
          name: row,
          version: '1',
          state: this.ready.has(row) ? 'READY' : 'UNAVAILABLE',
          reason: '',
        })),
      },
      ModelConfig: { config: { ...base, ...this.#configs[name] } },
    };
    return responses[method] as ControlCalls[Method]['response'];
  }

  #load(model: string): void {
    this.orders.push(`load ${model}`);
    if (model === 'bad') throw new StatusError('INTERNAL', "load failed for model 'bad': no memory");
    this.ready.add(model);
  }

  infer(): never {
    throw new Error('not asked for here');
  }

  stream(): never {
    throw new Error('not asked for here');
  }

  async close(): Promise<void> {
    this.ready.clear();
  }
}

export async function life(
  configs: Readonly<Record<string, Partial<ModelConfig>>>,
  maxLoaded?: number,
  limitsOf: (root: string) => AdmissionLimits | undefined = () => undefined,
  link: Link = new SingleProcessLink(),
) {
  const server = new ExplicitServer(configs);
  const hints = new Map<string, ModelHints>();
  const registry = new ModelRegistry({
    servers: [server],
    groupOf: (_model, servers) => ({
      servers,
      stream: (begin, sink) => begin(server, { timeout: undefined }, sink),
      again: async () => false,
    }),
    refreshInterval: 1_000_000,
    hints: (model) => hints.get(model) ?? {},
    loraSeparator: '_lora_',
    aliases: new Map([['alias', 'a']]),
    loadsOnDemand: true,
    describe: (found) => {
      const adapters = found.name.endsWith('plain') ? noAdapters : namedBySettings(['x']);
      return { ...found, tokenizerName: '-', adapters } as unknown as ServedModel;
    },
  });
  await registry.refresh();
  const running = new RunningRequests();
  const requests = new SharedRequests({ link, registry, running });
  const clean = (reported: string): string => reported;
  const control = new ModelControl({ registry, requests, loadTimeout: 1000, unloadTimeout: 0, clean });
  const onDemand = new LoadOnDemand({ registry, running, control, maxLoaded, timeout: 10_000 });
  const admission = new Admission({ gates: new LocalGates(), limitsOf, timeout: () => undefined });
  const door = new ModelGate({ registry, running, admission, onDemand, loadTimeout: 10_000 });
  const errors: ApiError[] = [];
  const enter = (name: string, signal = new AbortController().signal) =>
    door.enter(name, { cancel: (error) => errors.push(error), signal, priority: 0, watch: noWatch });
  return { server, hints, registry, running, control, onDemand, enter, errors };
}

export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code, message }: ApiError) => ({ code, message }),
  );
