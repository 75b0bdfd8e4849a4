import { EngineError } from '../../engine-error.ts';
import { failedInference } from '../../kserve/failed-inference.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  RecommendedDefaults,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { messageOf } from '../../thrown.ts';
import type { Tokenizer } from '../../tokenizer.ts';
import type { LoraFile } from './engine/adapters.ts';
import type { LoopFigures } from './engine/decode-loop.ts';
import { EmbeddedModel, type ModelHost } from './engine/embedded-model.ts';
import { Engine, type EngineOptions } from './engine/engine.ts';
import { modelBinding } from './engine/engine-internals.ts';
import { engineTokenizer } from './engine/engine-tokenizer.ts';
import type { EmbeddedModelOptions } from './engine/load-model.ts';
import { availableMemory } from './engine/memory.ts';
import { metadataOf } from './engine/model-config.ts';

/** The models of an embedded server, and its callbacks. */
export interface EmbeddedServerOptions {
  readonly models: readonly EmbeddedModelOptions[];
  readonly engine: EngineOptions;
  /** Conch's own version. */
  readonly version: string;
  /** The loaded fraction of a model, from 0 to 1. */
  readonly onProgress?: (model: string, fraction: number) => void;
  /** Bytes that models may use; left out: the free memory of the machine. */
  readonly availableMemory?: () => number;
}

type Handlers = {
  readonly [Method in ControlMethod]: (
    request: ControlCalls[Method]['request'],
  ) => Promise<ControlCalls[Method]['response']> | ControlCalls[Method]['response'];
};

/** llama.cpp in this process, with the protocol and the tensors of Triton's vLLM backend. */
export class EmbeddedServer implements InferenceServer {
  readonly name = 'embedded';
  readonly kind = 'embedded';
  readonly #options: EmbeddedServerOptions;
  readonly #models: readonly EmbeddedModel[];
  #engine: Promise<Engine> | undefined;

  constructor(options: EmbeddedServerOptions) {
    this.#options = options;
    const host: ModelHost = {
      engine: () => this.#startEngine(),
      availableMemory: () => (options.availableMemory ?? availableMemory)(),
      onProgress: (model, fraction) => options.onProgress?.(model, fraction),
    };
    const seen = new Set<string>();
    for (const { name, version = '1' } of options.models) {
      if (seen.has(`${name}:${version}`))
        throw new EngineError(`Two models are named ${name}. Give each model a name of its own.`);
      seen.add(`${name}:${version}`);
    }
    this.#models = options.models.map((model) => new EmbeddedModel(model, host));
  }

  /** Loads the selected models, one after the other. Returns the errors of those that fail, which stay UNAVAILABLE. */
  async loadAll(
    isSelected: (name: string) => boolean = () => true,
  ): Promise<{ readonly name: string; readonly error: EngineError }[]> {
    const errors: { name: string; error: EngineError }[] = [];
    for (const model of this.#models) {
      if (!isSelected(model.options.name)) continue;
      await model.load().catch((error: EngineError) => errors.push({ name: model.options.name, error }));
    }
    return errors;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    { signal }: CallOptions = {},
  ): Promise<ControlCalls[Method]['response']> {
    if (signal?.aborted) throw new StatusError('CANCELLED', 'The call was cancelled.');
    return this.#handlers[method](request);
  }

  async infer(request: InferRequest): Promise<InferResponse> {
    this.#find(request.model, request.version);
    throw new StatusError('UNIMPLEMENTED', "ModelInfer RPC doesn't support models with decoupled transaction policy");
  }

  stream(request: InferRequest, sink: ResponseSink, options: CallOptions = {}): RunningInference {
    try {
      return this.#find(request.model, request.version).stream(request, sink, options);
    } catch (error) {
      return failedInference(error, sink);
    }
  }

  /** Unloads every model and the engine; running generations end first. */
  async close(): Promise<void> {
    await Promise.all(this.#models.map((model) => model.unload()));
    await (await this.#engine?.catch(() => undefined))?.dispose();
    this.#engine = undefined;
  }

  /** The tokenizer of a loaded model: it counts exactly the tokens that the model gets. */
  tokenizerOf(name: string, version?: string): Tokenizer {
    const model = this.#find(name, version);
    const { vocabulary, model: llama } = this.#loaded(model).parts;
    return engineTokenizer(model.options.file, vocabulary, modelBinding(llama));
  }

  defaultsOf(name: string): RecommendedDefaults {
    return this.#find(name).options.defaults ?? {};
  }

  /** The counters of the loop of a loaded model. */
  figuresOf(name: string, version?: string): LoopFigures | undefined {
    return this.#find(name, version).loaded?.figures;
  }

  /** The adapters of a loaded model. Generations that use an unloaded adapter run to their end. */
  readonly adapters = {
    names: (model: string): readonly string[] =>
      this.#isReady(model, undefined) ? this.#loaded(this.#find(model)).adapters.names : [],
    load: async (model: string, lora: LoraFile): Promise<void> => {
      try {
        await this.#loaded(this.#find(model)).loadAdapter(lora);
      } catch (error) {
        throw error instanceof EngineError ? new StatusError('INVALID_ARGUMENT', error.message) : error;
      }
    },
    unload: (model: string, name: string): void => this.#loaded(this.#find(model)).unloadAdapter(name),
  };

  readonly #handlers: Handlers = {
    ServerLive: () => ({ live: true }),
    ServerReady: () => ({ ready: !this.#models.some((model) => model.isLoading) }),
    ModelReady: ({ name, version }) => ({ ready: this.#isReady(name, version) }),
    ServerMetadata: () => ({ name: 'conch', version: this.#options.version, extensions }),
    ModelMetadata: ({ name, version }) => metadataOf(this.#find(name, version).config, this.#readyVersions(name)),
    ModelConfig: ({ name, version }) => ({ config: this.#find(name, version).config }),
    ModelStatistics: ({ name, version }) => ({ model_stats: this.#statistics(name ?? '', version ?? '') }),
    RepositoryIndex: ({ repository_name: repository, ready }) => {
      refuseRepository(repository);
      return { models: this.#models.filter((model) => !ready || model.isReady).map((model) => model.indexEntry) };
    },
    RepositoryModelLoad: async ({ repository_name: repository, model_name: name, parameters }) => {
      refuseRepository(repository);
      if (Object.keys(parameters ?? {}).length > 0)
        throw new StatusError('UNIMPLEMENTED', 'load parameters are not supported by the embedded engine');
      await this.#load(name);
      return {};
    },
    RepositoryModelUnload: async ({ repository_name: repository, model_name: name }) => {
      refuseRepository(repository);
      await this.#unload(name);
      return {};
    },
    SystemSharedMemoryStatus: () => refuse('system shared memory'),
    SystemSharedMemoryRegister: () => refuse('system shared memory'),
    SystemSharedMemoryUnregister: () => refuse('system shared memory'),
    CudaSharedMemoryStatus: () => refuse('CUDA shared memory'),
    CudaSharedMemoryRegister: () => refuse('CUDA shared memory'),
    CudaSharedMemoryUnregister: () => refuse('CUDA shared memory'),
    TraceSetting: () => refuse('trace settings'),
    LogSettings: () => refuse('log settings'),
  };

  /** The requested version, or the newest ready one; throws with Triton's own wording. */
  #find(name: string, version = ''): EmbeddedModel {
    const all = this.#models.filter((model) => model.options.name === name);
    if (version !== '') checkVersion(version);
    if (all.length === 0) throw new StatusError('NOT_FOUND', `Request for unknown model: '${name}' is not found`);
    const ready = all.filter((model) => model.isReady);
    if (version !== '') {
      const found = ready.find((model) => Number(model.version) === Number(version));
      if (found) return found;
      throw new StatusError(
        'NOT_FOUND',
        `Request for unknown model: '${name}' version ${Number(version)} is not found`,
      );
    }
    const [newest] = ready.toSorted((a, b) => Number(b.version) - Number(a.version));
    if (newest) return newest;
    throw new StatusError('NOT_FOUND', `Request for unknown model: '${name}' has no available versions`);
  }

  #isReady(name: string, version: string | undefined): boolean {
    try {
      return this.#find(name, version).isReady;
    } catch (error) {
      if (error instanceof StatusError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }

  #readyVersions(name: string): string[] {
    return this.#models.filter((model) => model.options.name === name && model.isReady).map((model) => model.version);
  }

  #statistics(name: string, version: string): ControlCalls['ModelStatistics']['response']['model_stats'] {
    const ready = this.#models.filter((model) => model.isReady && (name === '' || model.options.name === name));
    if (name !== '' && ready.length === 0)
      throw new StatusError('INVALID_ARGUMENT', `requested model '${name}' is not available`);
    const selected = version === '' ? ready : ready.filter((model) => Number(model.version) === checkVersion(version));
    if (selected.length === 0 && name !== '')
      throw new StatusError('INVALID_ARGUMENT', `requested model version is not available for model '${name}'`);
    return selected.map((model) => model.statistics);
  }

  async #load(name: string): Promise<void> {
    const all = this.#models.filter((model) => model.options.name === name);
    if (all.length === 0)
      throw new StatusError('INTERNAL', `failed to load '${name}', failed to poll from model repository`);
    const results = await Promise.allSettled(all.map((model) => model.load()));
    const failures = results.flatMap((result, index) =>
      result.status === 'fulfilled'
        ? []
        : [`version ${all[index]?.version} is at UNAVAILABLE state: Internal: ${messageOf(result.reason)};\n`],
    );
    if (failures.length > 0)
      throw new StatusError('INVALID_ARGUMENT', `load failed for model '${name}': ${failures.join('')}`);
  }

  /** Waits until the memory is free, unless generations still run: those end first, as in Triton. */
  async #unload(name: string): Promise<void> {
    const all = this.#models.filter((model) => model.options.name === name);
    const unloads = all.map((model) => ({ isIdle: model.isIdle, done: model.unload() }));
    await Promise.all(unloads.filter(({ isIdle }) => isIdle).map(({ done }) => done));
  }

  #loaded(model: EmbeddedModel): NonNullable<EmbeddedModel['loaded']> {
    const { loaded } = model;
    if (loaded) return loaded;
    throw new StatusError('NOT_FOUND', `Request for unknown model: '${model.options.name}' has no available versions`);
  }

  #startEngine(): Promise<Engine> {
    const starting = (this.#engine ??= Engine.start(this.#options.engine));
    // A failed start can be retried: the network may be back.
    starting.catch(() => {
      if (this.#engine === starting) this.#engine = undefined;
    });
    return starting;
  }
}

const extensions = ['model_repository', 'model_configuration', 'binary_tensor_data', 'parameters', 'statistics'];

function checkVersion(version: string): number {
  const number = Number(version);
  if (/^\d+$/.test(version) && number > 0) return number;
  throw new StatusError(
    'INVALID_ARGUMENT',
    `failed to get model version from specified version string '${version}' (details: stol), version should be an integral value > 0`,
  );
}

function refuseRepository(name: string | undefined): void {
  if (name) throw new StatusError('UNIMPLEMENTED', "'repository_name' specification is not supported");
}

function refuse(what: string): never {
  throw new StatusError('UNIMPLEMENTED', `${what} is not supported by the embedded engine`);
}
