import { performance } from 'node:perf_hooks';
import { EngineError } from '../../../engine-error.ts';
import type { ModelConfig, ModelIndexEntry, ModelStatistics } from '../../../kserve/messages.ts';
import type { CallOptions, InferRequest, ResponseSink, RunningInference } from '../../../kserve/server.ts';
import { StatusError } from '../../../kserve/status.ts';
import { validateRequest, wrongCount } from '../../../kserve/validate-request.ts';
import { messageOf } from '../../../thrown.ts';
import type { Engine } from './engine.ts';
import { type EmbeddedModelOptions, type LoadResult, loadModel } from './load-model.ts';
import type { LoadedModel } from './loaded-model.ts';
import { ModelCall } from './model-call.ts';
import { embeddedConfig } from './model-config.ts';
import { StatisticsRecorder } from './model-statistics.ts';
import { readInputs } from './request-inputs.ts';

/** The state of a model, as Triton names it; empty: never loaded. */
type LoadState = '' | 'LOADING' | 'READY' | 'UNLOADING' | 'UNAVAILABLE';

/** What a model needs from its server. */
export interface ModelHost {
  readonly engine: () => Promise<Engine>;
  readonly availableMemory: () => number;
  readonly onProgress: (model: string, fraction: number) => void;
}

/** One version of a model, loaded or not, and its statistics. */
export class EmbeddedModel {
  readonly options: EmbeddedModelOptions;
  readonly version: string;
  readonly #host: ModelHost;
  #state: LoadState = '';
  #reason = '';
  #loaded: LoadResult | undefined;
  #recorder = new StatisticsRecorder();
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  /** Loads and unloads wait for each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EmbeddedModelOptions, host: ModelHost) {
    this.options = options;
    this.version = options.version ?? '1';
    this.#host = host;
  }

  get isReady(): boolean {
    return this.#state === 'READY';
  }

  get isLoading(): boolean {
    return this.#state === 'LOADING';
  }

  get indexEntry(): ModelIndexEntry {
    const isNew = this.#state === '';
    return { name: this.options.name, version: isNew ? '' : this.version, state: this.#state, reason: this.#reason };
  }

  get loaded(): LoadedModel | undefined {
    return this.isReady ? this.#loaded?.model : undefined;
  }

  get config(): ModelConfig {
    const { header, facts, model } = this.#ready();
    return embeddedConfig({
      name: this.options.name,
      contextLength: model.parts.contextLength,
      chatTemplate: facts.chatTemplate,
      bosToken: header.bosToken,
      eosToken: header.eosToken,
      adapters: model.adapters.names,
    });
  }

  get statistics(): ModelStatistics {
    return this.#recorder.read(this.options.name, this.version, this.#loaded?.model.parts.memory ?? 0);
  }

  /** Resolves once it is ready; rejects with an EngineError with the reason. */
  load(): Promise<void> {
    return this.#afterLast(async () => {
      if (this.#state === 'READY') return;
      this.#state = 'LOADING';
      this.#reason = '';
      try {
        this.#loaded = await loadModel({
          options: this.options,
          engine: this.#host.engine,
          availableMemory: this.#host.availableMemory(),
          onProgress: (fraction) => this.#host.onProgress(this.options.name, fraction),
        });
        this.#recorder = new StatisticsRecorder();
        this.#state = 'READY';
      } catch (error) {
        this.#state = 'UNAVAILABLE';
        this.#reason = messageOf(error);
        throw error instanceof EngineError ? error : new EngineError(this.#reason, { cause: error });
      }
    });
  }

  /** Takes no more requests, waits for the running ones, then frees the memory. */
  unload(): Promise<void> {
    return this.#afterLast(async () => {
      const loaded = this.#loaded;
      if (this.#state !== 'READY' || !loaded) return;
      this.#state = 'UNLOADING';
      if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
      this.#loaded = undefined;
      await loaded.model.dispose();
      this.#state = 'UNAVAILABLE';
      this.#reason = 'unloaded';
    });
  }

  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** Runs one request. */
  stream(request: InferRequest, sink: ResponseSink, { signal, timeout }: CallOptions): RunningInference {
    const call: ModelCall = new ModelCall(
      {
        begin: () => this.#begin(call, request),
        wake: () => this.#loaded?.model.wake(),
        ...(signal ? { signal } : {}),
        timeout,
      },
      sink,
    );
    return call.start();
  }

  async #begin(call: ModelCall, request: InferRequest): Promise<void> {
    const { model } = this.#ready();
    const queuedAt = performance.now();
    let started = queuedAt;
    this.#inFlight += 1;
    const finish = (outcome: 'success' | 'fail' | 'cancel'): void => {
      const queue = (started - queuedAt) * 1e6;
      this.#recorder.record(outcome, { queue, compute: (performance.now() - started) * 1e6 });
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    };
    let isHandedOver = false;
    try {
      validateRequest(request, this.config);
      const inputs = readInputs(request);
      const onBegin = (): void => {
        started = performance.now();
      };
      if (inputs.embedding !== undefined) {
        await model.embed({ request, inputs, outlet: call, onBegin, onEnd: () => undefined });
        finish('success');
        return;
      }
      if (inputs.prompt === undefined) throw wrongCount(request, this.config);
      const onEnd = ({ outcome }: { outcome: 'success' | 'fail' | 'cancel' }): void => {
        isHandedOver = true;
        call.finish();
        finish(outcome);
      };
      const generation = await model.generate({ request, inputs, outlet: call, onBegin, onEnd });
      isHandedOver = true;
      call.attach(generation);
    } catch (error) {
      if (!isHandedOver) finish('fail');
      throw error;
    }
  }

  #ready(): LoadResult {
    if (this.#state !== 'READY' || !this.#loaded)
      throw new StatusError('NOT_FOUND', `Request for unknown model: '${this.options.name}' has no available versions`);
    return this.#loaded;
  }

  #afterLast(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
