import type { KeyLimits } from '../../http/key-limits.ts';
import { type KeyHolder, managementRefused, mayManage, mayUse } from '../../keys/key-holder.ts';
import { DeferredInference, type EnteredInference } from '../../kserve/deferred-inference.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import { PassingServer } from '../../kserve/passing-server.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import { passInference } from './key-guard.ts';

interface KeyedServerOptions {
  readonly holder: KeyHolder;
  /** Counts the inferences of the key; left out: they are counted elsewhere. */
  readonly limits?: KeyLimits;
}

/** A server restricted to the models and limits of a key. */
export class KeyedServer extends PassingServer {
  readonly #options: KeyedServerOptions;

  constructor(server: InferenceServer, options: KeyedServerOptions) {
    super(server);
    this.#options = options;
  }

  override async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    const { name, model_name = isOfModel(method) ? name : '' } = request as { name?: string; model_name?: string };
    if (model_name) this.#check(model_name);
    if (changesServer(method, request) && !mayManage(this.#options.holder))
      throw new StatusError('PERMISSION_DENIED', managementRefused);
    return this.#visible(await this.inner.call(method, request, options));
  }

  override async infer(request: InferRequest, options: CallOptions = {}): Promise<InferResponse> {
    this.#check(request.model);
    const leave = await this.#pass(options);
    try {
      return await this.inner.infer(request, options);
    } finally {
      leave?.();
    }
  }

  override stream(request: InferRequest, sink: ResponseSink, options: CallOptions = {}): RunningInference {
    const enter = async (): Promise<EnteredInference> => {
      this.#check(request.model);
      const leave = await this.#pass(options);
      return { begin: (into) => this.inner.stream(request, into, options), leave };
    };
    return new DeferredInference(enter, sink);
  }

  /** The error is the same for models that do not exist. */
  #check(model: string): void {
    if (mayUse(this.#options.holder, model)) return;
    throw new StatusError(
      'PERMISSION_DENIED',
      `This API key does not have access to the model ${JSON.stringify(model)}.`,
    );
  }

  async #pass({ signal = new AbortController().signal }: CallOptions): Promise<(() => void) | undefined> {
    const { holder, limits } = this.#options;
    if (!limits) return undefined;
    const pass = await passInference(holder, limits, signal);
    return () => pass.leave(0);
  }

  /** Removes models that the key cannot use from lists. */
  #visible<Response>(response: Response): Response {
    const { models, model_stats: statistics } = response as ModelLists;
    const isVisible = ({ name }: { name: string }): boolean => mayUse(this.#options.holder, name);
    if (models) return { ...response, models: models.filter(isVisible) };
    return statistics ? { ...response, model_stats: statistics.filter(isVisible) } : response;
  }
}

interface ModelLists {
  readonly models?: readonly { name: string }[];
  readonly model_stats?: readonly { name: string }[];
}

/** In calls about models, `name` is a model; in those about shared memory, a region. */
function isOfModel(method: ControlMethod): boolean {
  return method.startsWith('Model');
}

/** Whether a call changes the server for all clients. Without settings, a call only reads log and trace settings. */
function changesServer(method: ControlMethod, request: object): boolean {
  const { settings = {} } = request as { readonly settings?: object };
  return method === 'RepositoryModelLoad' || method === 'RepositoryModelUnload' || Object.keys(settings).length > 0;
}
