import type { GenerateRequest, GenerationContract } from '../contracts/contract.ts';
import { failedPart } from '../kserve/engine-failure.ts';
import { ResponseTimeoutError } from '../kserve/response-timeout-error.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { BeginInference } from '../kserve/server-group.ts';
import { StatusError } from '../kserve/status.ts';
import type { ServedModel } from '../models/served-model.ts';
import { type InferenceWatch, type RequestWatch, retried } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import { AdapterInference } from './adapter-inference.ts';
import type { GuardedGuide, GuideGuard } from './guide-guard.ts';
import { stopInference } from './stop-inference.ts';

/** What an inference needs from its request. */
interface InferenceContext {
  readonly model: ServedModel;
  readonly signal: Signal;
  readonly watch: RequestWatch;
  /** The servers of earlier tries; undefined if there is only one try. */
  readonly usedServers: Set<InferenceServer> | undefined;
  /** Undefined if it has no guide, or guides cannot make its engine fail. */
  readonly guide: GuardedGuide | undefined;
  readonly guides: GuideGuard | undefined;
}

/** The inference of a choice on the server that was last chosen for it. */
export class ServerInference implements Pick<InferenceWatch, 'first' | 'end'> {
  readonly #request: GenerateRequest;
  readonly #context: InferenceContext;
  #watch: InferenceWatch | undefined;
  #hasStarted = false;
  server: InferenceServer | undefined;

  constructor(request: GenerateRequest, context: InferenceContext) {
    this.#request = request;
    this.#context = context;
  }

  readonly begin: BeginInference = (server, { timeout, after }, sink) => {
    const { model, signal, watch, usedServers, guide } = this.#context;
    const { contract, sentAdapter: adapter } = model;
    if (after instanceof ResponseTimeoutError) stopper(this, contract, this.#request)?.(false);
    if (after !== undefined) this.#judge(after);
    this.server = server;
    usedServers?.add(server);
    guide?.started(server);
    const { maxTokens } = this.#request.sampling;
    this.#watch?.end(retried);
    this.#watch = watch.inference({ server: server.name, model: model.model, maxTokens });
    const call = { signal, timeout, metadata: this.#watch.headers };
    return adapter
      ? new AdapterInference({ server, contract, request: this.#request, adapter, call }, sink).start()
      : server.stream(contract.encode(this.#request), sink, call);
  };

  first(): void {
    this.#hasStarted = true;
    if (this.server) this.#context.guide?.responded(this.server);
    this.#watch?.first();
  }

  end(error?: unknown): void {
    if (error instanceof StatusError && this.server) this.#context.model.learn?.(this.server, error);
    this.#judge(error);
    this.#watch?.end(error);
    this.#watch = undefined;
  }

  /** Reports the end of an inference to the quarantine: for its own guide, and for those of others. */
  #judge(error: unknown): void {
    const { server } = this;
    const { guide, guides, model, signal } = this.#context;
    if (!server || !guides) return;
    if (!this.#hasStarted) guide?.ended(error, server, error === undefined || signal.aborted);
    if (failedPart(error)) guides.engineFailed(server, model.model);
  }
}

/** Ends an inference on servers that need a stop request for it. */
export function stopper(inference: ServerInference, contract: GenerationContract, request: GenerateRequest) {
  if (!('stopRequest' in contract)) return undefined;
  return (hasStarted: boolean): void => {
    const command = contract.stopRequest?.(request);
    if (command && inference.server) void stopInference(inference.server, command, hasStarted);
  };
}
