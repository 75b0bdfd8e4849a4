import type { DrainState } from '../../http/draining.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import { PassingServer } from '../../kserve/passing-server.ts';
import type { CallOptions, InferenceServer } from '../../kserve/server.ts';

/** A server that reports not ready while the process drains, and still serves requests. */
export class DrainingServer extends PassingServer {
  readonly #draining: DrainState;

  constructor(server: InferenceServer, draining: DrainState) {
    super(server);
    this.#draining = draining;
  }

  override async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    if (method === 'ServerReady' && this.#draining.hasStarted)
      return { ready: false } as ControlCalls[Method]['response'];
    return super.call(method, request, options);
  }
}
