import type { GenerateRequest, GenerationContract } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { CallOptions, InferenceServer, InferResponse } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { AdapterFolderError } from '../models/adapter-folder.ts';
import type { SentAdapter } from '../models/adapters.ts';

interface AdapterStreamOptions {
  readonly server: InferenceServer;
  readonly contract: GenerationContract;
  readonly request: GenerateRequest;
  readonly adapter: SentAdapter;
  readonly call: CallOptions;
}

type Responses = AsyncIterableIterator<InferResponse[]>;

/**
 * An inference with a LoRA adapter. The first one to a server carries the weights, later ones the number alone; when
 * the engine says that it has forgotten them, they are sent once more.
 */
export class AdapterStream implements Responses {
  readonly #options: AdapterStreamOptions;
  #responses: Responses | undefined;
  #hasBegun = false;
  #isLeft = false;
  /** Why it was ended from outside. */
  #fault: unknown;

  constructor(options: AdapterStreamOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<InferResponse[]>> {
    return this.#hasBegun && this.#responses ? this.#responses.next() : this.#begin();
  }

  async return(): Promise<IteratorResult<InferResponse[]>> {
    this.#isLeft = true;
    await this.#responses?.return?.();
    return { done: true, value: undefined };
  }

  async throw(fault: unknown): Promise<IteratorResult<InferResponse[]>> {
    this.#fault = fault;
    await this.#responses?.throw?.(fault);
    return { done: true, value: undefined };
  }

  async #begin(): Promise<IteratorResult<InferResponse[]>> {
    const { server, contract, request, adapter } = this.#options;
    if (adapter.sentTo.has(server)) {
      try {
        return await this.#send(request);
      } catch (error) {
        if (!(error instanceof StatusError && contract.adapterForm?.isMissing(error))) throw error;
      }
    }
    return this.#sendWeights();
  }

  async #sendWeights(): Promise<IteratorResult<InferResponse[]>> {
    const { server, contract, request, adapter } = this.#options;
    if (!contract.adapterForm) throw new Error('Weights are for a model that has inputs for them.');
    const loraWeights = await adapter.folder.read(contract.adapterForm).catch(unreadable);
    // Those that come meanwhile need not send them too: one that is too early for the engine is sent again.
    adapter.sentTo.add(server);
    try {
      return await this.#send({ ...request, loraWeights });
    } catch (error) {
      adapter.sentTo.delete(server);
      throw error;
    }
  }

  async #send(request: GenerateRequest): Promise<IteratorResult<InferResponse[]>> {
    const { server, contract, call } = this.#options;
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#isLeft) return { done: true, value: undefined };
    this.#responses = server.stream(contract.encode(request), call);
    const first = await this.#responses.next();
    this.#hasBegun = true;
    return first;
  }
}

/** What the folder held is for the log: clients see no paths. */
function unreadable(error: unknown): never {
  if (!(error instanceof AdapterFolderError)) throw error;
  throw new ApiError('model_not_ready', 'The weights of this LoRA adapter cannot be sent; the log has the reason.', {
    cause: error,
  });
}
