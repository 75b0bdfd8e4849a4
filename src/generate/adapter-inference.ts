import type { GenerateRequest, GenerationContract, LoraWeights } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { CallOptions, InferenceServer, InferResponse, ResponseSink, RunningInference } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { AdapterFolderError } from '../models/adapter-folder.ts';
import type { SentAdapter } from '../models/adapters.ts';

interface AdapterOptions {
  readonly server: InferenceServer;
  readonly contract: GenerationContract;
  readonly request: GenerateRequest;
  readonly adapter: SentAdapter;
  readonly call: CallOptions;
}

/**
 * An inference with a LoRA adapter. The first one to a server carries the weights, later ones only the number. If the
 * engine reports that it has dropped the weights, they are sent once more.
 */
export class AdapterInference implements RunningInference, ResponseSink {
  readonly #options: AdapterOptions;
  readonly #sink: ResponseSink;
  #running: RunningInference | undefined;
  #hasWeights = false;
  #hasStarted = false;
  #isPaused = false;
  #isOver = false;

  constructor(options: AdapterOptions, sink: ResponseSink) {
    this.#options = options;
    this.#sink = sink;
  }

  start(): this {
    const { server, request, adapter } = this.#options;
    if (adapter.sentTo.has(server)) this.#send(request);
    else this.#sendWeights();
    return this;
  }

  response(response: InferResponse): void {
    if (this.#isOver) return;
    this.#hasStarted = true;
    this.#sink.response(response);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    if (error !== undefined && !this.#hasStarted) {
      const { server, contract, adapter } = this.#options;
      if (this.#hasWeights) adapter.sentTo.delete(server);
      else if (error instanceof StatusError && contract.adapterFormat?.isMissing(error)) {
        this.#sendWeights();
        return;
      }
    }
    this.#isOver = true;
    this.#sink.end(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#running?.resume();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#running?.cancel();
    if (error !== undefined) this.#sink.end(error);
  }

  #sendWeights(): void {
    this.#running = undefined;
    this.#weights()
      .then((loraWeights) => {
        if (this.#isOver) return;
        // Concurrent requests need not send the weights: one that reaches the engine too early is sent again.
        this.#options.adapter.sentTo.add(this.#options.server);
        this.#hasWeights = true;
        this.#send({ ...this.#options.request, loraWeights });
      })
      .catch((error: unknown) => this.end(error));
  }

  async #weights(): Promise<LoraWeights> {
    const { contract, adapter } = this.#options;
    if (!contract.adapterFormat) throw new Error('The contract of this model has no inputs for LoRA weights.');
    return adapter.folder.read(contract.adapterFormat).catch(unreadable);
  }

  #send(request: GenerateRequest): void {
    const { server, contract, call } = this.#options;
    this.#running = server.stream(contract.encode(request), this, call);
    if (this.#isPaused) this.#running.pause();
  }
}

/** Only the log has the details: clients see no paths. */
function unreadable(error: unknown): never {
  if (!(error instanceof AdapterFolderError)) throw error;
  throw new ApiError('model_not_ready', 'The weights of this LoRA adapter cannot be loaded. The log has the reason.', {
    cause: error,
  });
}
