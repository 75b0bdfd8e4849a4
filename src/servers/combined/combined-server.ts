import { firstResponse } from '../../kserve/awaited-responses.ts';
import { DeferredInference, type EnteredInference } from '../../kserve/deferred-inference.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import { ResponseTimeoutError } from '../../kserve/response-timeout-error.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import type { GroupOptions } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Balancer } from '../balanced/balancer.ts';
import { mergeIndex, mergeStatistics } from './merge-responses.ts';
import { isInSequence, ModelMap, noServer } from './model-map.ts';
import { UnaryInference } from './unary-inference.ts';

type ControlPlan = { [Method in ControlMethod]: ControlCall<Method> };
type ControlCall<Method extends ControlMethod> = (
  request: ControlCalls[Method]['request'],
  options: CallOptions,
) => Promise<ControlCalls[Method]['response']>;

/**
 * Several servers as one. The index is the union of theirs, and calls that name a model go to a server that has it. The
 * balancer chooses which of several servers takes an inference.
 */
export class CombinedServer implements InferenceServer {
  readonly #list: () => readonly InferenceServer[];
  readonly #balancer: Balancer;
  readonly #models: ModelMap;
  readonly #calls: ControlPlan;

  constructor(servers: () => readonly InferenceServer[], balancer: Balancer) {
    this.#list = servers;
    this.#balancer = balancer;
    this.#models = new ModelMap(servers);
    this.#calls = this.#plan();
  }

  get name(): string {
    return this.#servers.map(({ name }) => name).join(', ');
  }

  get #servers(): readonly InferenceServer[] {
    return this.#list();
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions = {},
  ): Promise<ControlCalls[Method]['response']> {
    const [only, ...others] = this.#servers;
    const isModelReady = method === 'ModelReady';
    if (only && others.length === 0 && !isModelReady) return only.call(method, request, options);
    if (!only) throw noServer();
    const call = this.#calls[method] as ControlCall<Method>;
    return call(request, options);
  }

  async infer(request: InferRequest, options: CallOptions = {}): Promise<InferResponse> {
    const entered = await this.#enter(request, { ...options, hasSingleResponse: true }, (server, call, sink) => {
      return new UnaryInference((signal) => server.infer(request, { ...call, signal }), sink, call.signal);
    });
    const response = await firstResponse((sink) => entered.begin(sink));
    if (!response) throw new StatusError('INTERNAL', 'The server ended the call without a response.');
    return response;
  }

  stream(request: InferRequest, sink: ResponseSink, options: CallOptions = {}): RunningInference {
    const enter = (): Promise<EnteredInference> =>
      this.#enter(request, options, (server, call, into) => server.stream(request, into, call));
    return new DeferredInference(enter, sink);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  /** Finds the servers that have the model. */
  async #enter(
    request: InferRequest,
    { signal, timeout, metadata, hasSingleResponse = false }: CallOptions & Pick<GroupOptions, 'hasSingleResponse'>,
    begin: (server: InferenceServer, call: CallOptions, sink: ResponseSink) => RunningInference,
  ): Promise<EnteredInference> {
    const servers = await this.#models.serversFor(request);
    const limits = { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
    const group = this.#balancer.groupOf(request.model, servers);
    // Whether its tensors contain a guide is unknown here.
    const groupOptions: GroupOptions = {
      ...limits,
      hasSingleResponse,
      isOnlyOnce: isInSequence(request),
      isGuided: true,
      requestId: request.id,
      statusOf: clientStatus,
    };
    return {
      begin: (outer) =>
        group.stream(
          (server, { timeout: left }, sink) => {
            const call = {
              ...limits,
              ...(left === undefined ? {} : { timeout: left }),
              ...(metadata ? { metadata } : {}),
            };
            return begin(server, call, sink);
          },
          outer,
          groupOptions,
        ),
    };
  }

  /** How each call is distributed over the servers. */
  #plan(): ControlPlan {
    return { ...this.#healthCalls(), ...this.#modelCalls(), ...this.#deviceCalls() };
  }

  #healthCalls(): Pick<ControlPlan, 'ServerLive' | 'ServerReady' | 'ModelReady' | 'ServerMetadata'> {
    return {
      ServerLive: async (request, options) => ({
        live: await this.#some('ServerLive', request, options, ({ live }) => live),
      }),
      // One ready server is enough: it serves the requests, as with the other APIs.
      ServerReady: async (request, options) => ({
        ready: await this.#some('ServerReady', request, options, ({ ready }) => ready),
      }),
      ModelReady: async (request, options) => {
        const [only, ...others] = this.#servers;
        const servers = only && others.length === 0 ? [only] : await this.#models.knowing(request.name);
        const knowing = servers.filter((server) => !this.#balancer.engines.failureOf({ server, model: request.name }));
        if (only && knowing[0] === only && others.length === 0) return only.call('ModelReady', request, options);
        return { ready: await this.#some('ModelReady', request, options, ({ ready }) => ready, knowing) };
      },
      ServerMetadata: async (request, options) => {
        const all = await this.#every('ServerMetadata', request, options);
        const [first, ...others] = all;
        const isCommon = (extension: string): boolean =>
          others.every(({ extensions }) => extensions.includes(extension));
        return { ...first, extensions: first.extensions.filter(isCommon) };
      },
    };
  }

  #modelCalls(): Pick<
    ControlPlan,
    'ModelMetadata' | 'ModelConfig' | 'ModelStatistics' | `Repository${'Index' | 'ModelLoad' | 'ModelUnload'}`
  > {
    return {
      ModelMetadata: (request, options) => this.#ask('ModelMetadata', request.name, request, options),
      ModelConfig: (request, options) => this.#ask('ModelConfig', request.name, request, options),
      ModelStatistics: async (request, options) => {
        const name = request.name ?? '';
        const knowing = name === '' ? undefined : await this.#models.knowing(name);
        if (knowing?.length === 0)
          throw new StatusError('INVALID_ARGUMENT', `requested model '${name}' is not available`);
        const responses = await this.#every('ModelStatistics', request, options, knowing);
        return { model_stats: mergeStatistics(responses.flatMap(({ model_stats }) => model_stats)) };
      },
      RepositoryIndex: async (request, options) => {
        const responses = await this.#every('RepositoryIndex', request, options);
        return { models: mergeIndex(responses.flatMap(({ models }) => models)) };
      },
      RepositoryModelLoad: async (request, options) => {
        const knowing = await this.#models.knowing(request.model_name);
        if (knowing.length === 0)
          throw new StatusError(
            'INTERNAL',
            `failed to load '${request.model_name}', failed to poll from model repository`,
          );
        return this.#change('RepositoryModelLoad', request, options, knowing);
      },
      RepositoryModelUnload: async (request, options) => {
        const knowing = await this.#models.knowing(request.model_name);
        return knowing.length === 0 ? {} : this.#change('RepositoryModelUnload', request, options, knowing);
      },
    };
  }

  #deviceCalls(): Pick<
    ControlPlan,
    `${'System' | 'Cuda'}SharedMemory${'Status' | 'Register' | 'Unregister'}` | 'TraceSetting' | 'LogSettings'
  > {
    return {
      SystemSharedMemoryStatus: async (request, options) => {
        const responses = await this.#every('SystemSharedMemoryStatus', request, options);
        return { regions: Object.assign({}, ...responses.map(({ regions }) => regions)) };
      },
      SystemSharedMemoryRegister: (request, options) => this.#first('SystemSharedMemoryRegister', request, options),
      SystemSharedMemoryUnregister: (request, options) => this.#first('SystemSharedMemoryUnregister', request, options),
      CudaSharedMemoryStatus: async (request, options) => {
        const responses = await this.#every('CudaSharedMemoryStatus', request, options);
        return { regions: Object.assign({}, ...responses.map(({ regions }) => regions)) };
      },
      CudaSharedMemoryRegister: (request, options) => this.#first('CudaSharedMemoryRegister', request, options),
      CudaSharedMemoryUnregister: (request, options) => this.#first('CudaSharedMemoryUnregister', request, options),
      TraceSetting: async (request, options) => {
        const name = request.model_name ?? '';
        if (name === '') return this.#first('TraceSetting', request, options);
        const knowing = await this.#models.knowing(name);
        if (knowing.length === 0) throw new StatusError('INVALID_ARGUMENT', `Request for unknown model : ${name}`);
        return this.#first('TraceSetting', request, options, knowing);
      },
      LogSettings: (request, options) => this.#first('LogSettings', request, options),
    };
  }

  async #ask<Method extends ControlMethod>(
    method: Method,
    model: string,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    const { version = '' } = request as { version?: string };
    return (await this.#models.serverFor({ model, version })).call(method, request, bounded(options));
  }

  /** Loads and unloads at every server that knows the model; throws the first failure. */
  async #change<Method extends 'RepositoryModelLoad' | 'RepositoryModelUnload'>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
    knowing: readonly InferenceServer[],
  ): Promise<ControlCalls[Method]['response']> {
    try {
      await Promise.all(knowing.map((server) => server.call(method, request, options)));
      return {};
    } finally {
      this.#models.forget();
    }
  }

  /** Whether one server says yes; does not wait for the others then. */
  async #some<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
    says: (response: ControlCalls[Method]['response']) => boolean,
    servers = this.#servers,
  ): Promise<boolean> {
    const calls = servers.map(async (server) => {
      if (!says(await server.call(method, request, bounded(options)))) throw new Error('no');
      return true;
    });
    return Promise.any(calls).catch(() => false);
  }

  /** The responses of all servers that respond, at least one; throws the first failure if none does. */
  async #every<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
    servers?: readonly InferenceServer[],
  ): Promise<[ControlCalls[Method]['response'], ...ControlCalls[Method]['response'][]]> {
    const responding = await this.#models.responding();
    const sure = servers?.filter((server) => responding.includes(server));
    const targets = sure?.length ? sure : (servers ?? responding);
    const settled = await Promise.allSettled(targets.map((server) => server.call(method, request, bounded(options))));
    const [first, ...others] = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    if (first !== undefined) return [first, ...others];
    throw settled.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  /** Calls all servers and returns the first success: what one server cannot do, another may. */
  async #first<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options: CallOptions,
    servers?: readonly InferenceServer[],
  ): Promise<ControlCalls[Method]['response']> {
    const [first] = await this.#every(method, request, options, servers);
    return first;
  }
}

/** The longest timeout of a call to several servers, in milliseconds. */
const longestTimeout = 5000;

function bounded({ timeout = longestTimeout, ...options }: CallOptions): CallOptions {
  return { ...options, timeout: Math.min(timeout, longestTimeout) };
}

/** The client chooses its deadline, so a missed one is no failure of the server; Conch's own timeouts are. */
function clientStatus(error: StatusError): number | undefined {
  return error.code === 'DEADLINE_EXCEEDED' && !(error instanceof ResponseTimeoutError) ? 408 : undefined;
}
