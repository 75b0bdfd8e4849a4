import { ApiError } from '../../errors.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Admission } from '../../models/admission.ts';
import { unwatched } from '../../request-watch.ts';
import { QueueFull } from './queue-full.ts';

const never = new AbortController().signal;

/** A server whose inferences wait for a place at their model, as the requests of the other APIs do. */
export class AdmittedServer implements InferenceServer {
  readonly #server: InferenceServer;
  readonly #admission: Admission;

  constructor(server: InferenceServer, admission: Admission) {
    this.#server = server;
    this.#admission = admission;
  }

  get name(): string {
    return this.#server.name;
  }

  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    return this.#server.call(method, request, options);
  }

  async infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    const leave = await this.#enter(request, options);
    try {
      return await this.#server.infer(request, options);
    } finally {
      leave();
    }
  }

  stream(request: InferRequest, options?: CallOptions): AsyncIterableIterator<InferResponse[]> {
    if (this.#admission.isLimited(request.model)) return this.#admitted(request, options);
    return this.#server.stream(request, options);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async *#admitted(request: InferRequest, options?: CallOptions): AsyncGenerator<InferResponse[]> {
    const leave = await this.#enter(request, options);
    try {
      yield* this.#server.stream(request, options);
    } finally {
      leave();
    }
  }

  async #enter({ model }: InferRequest, { signal = never }: CallOptions = {}): Promise<() => void> {
    try {
      return await this.#admission.enter(model, { priority: 0, signal, watch: unwatched });
    } catch (error) {
      throw statusOf(ApiError.from(error));
    }
  }
}

function statusOf(fault: ApiError): StatusError {
  if (fault.code === 'rate_limit_exceeded') return new QueueFull(fault.message, fault.retryAfter ?? 1);
  const isLate = fault.code === 'deadline_exceeded';
  return new StatusError(isLate ? 'DEADLINE_EXCEEDED' : 'CANCELLED', fault.message, { cause: fault });
}
