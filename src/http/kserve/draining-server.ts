import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import type { Draining } from '../draining.ts';

/** A server that is not ready any more once the process is to end; what is asked of it all the same is answered. */
export class DrainingServer implements InferenceServer {
  readonly #server: InferenceServer;
  readonly #draining: Draining;

  constructor(server: InferenceServer, draining: Draining) {
    this.#server = server;
    this.#draining = draining;
  }

  get name(): string {
    return this.#server.name;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    if (method === 'ServerReady' && this.#draining.isBegun) return { ready: false } as ControlCalls[Method]['response'];
    return this.#server.call(method, request, options);
  }

  infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.#server.infer(request, options);
  }

  stream(request: InferRequest, options?: CallOptions): AsyncIterableIterator<InferResponse[]> {
    return this.#server.stream(request, options);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
