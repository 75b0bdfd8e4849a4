import { ApiError, endedBy } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ModelCapacity } from './model-capacity.ts';
import type { ModelControl } from './model-control.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';
import { settlesWithin } from './settles-within.ts';

interface OnDemandOptions {
  readonly registry: ModelRegistry;
  readonly running: RunningRequests;
  readonly control: ModelControl;
  readonly maxLoaded: number | undefined;
  /** Milliseconds that a request waits for its model. */
  readonly timeout: number;
}

interface Failure {
  readonly error: ApiError;
  readonly until: number;
}

/** Milliseconds for which a failed load is not retried. */
const failureMemory = 5_000;
/** Milliseconds between two checks of a model that another client loads. */
const lookPause = 250;

/** Loads models on demand: one load for all waiting requests. */
export class LoadOnDemand {
  readonly #options: OnDemandOptions;
  readonly #capacity: ModelCapacity;
  readonly #loads = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, number>();
  readonly #failures = new Map<string, Failure>();

  constructor(options: OnDemandOptions) {
    this.#options = options;
    this.#capacity = new ModelCapacity({ ...options, waiting: (root) => this.#waiting.get(root) ?? 0 });
  }

  /** The names that a request could load: models of the servers, and aliases. */
  loadable(): string[] {
    const { registry } = this.#options;
    return [...registry.targets()]
      .filter(([, root]) => !registry.isOffered(root) && this.canLoad(root))
      .map(([name]) => name);
  }

  canLoad(root: string): boolean {
    const { registry } = this.#options;
    const copies = registry.copiesOf(root);
    // A request does not reload a failed engine: the request might make it fail again.
    if (copies.some(({ server }) => registry.hasFailedOn(server, root))) return false;
    return copies.length > 0 && !registry.isUnfit(root);
  }

  /** Resolves when the model may be ready. The caller checks, and calls again if it is not. */
  async wait(root: string, { deadline, signal }: { deadline: number; signal: Signal }): Promise<void> {
    this.#waiting.set(root, (this.#waiting.get(root) ?? 0) + 1);
    try {
      const isOver = await settlesWithin(this.#loading(root), deadline - performance.now(), signal);
      if (signal.aborted) throw endedBy(signal);
      if (!isOver)
        throw new ApiError(
          'model_not_ready',
          `The model ${root} was not loaded within the time limit (--load-timeout). Try again later.`,
          {
            param: 'model',
            retryAfter: 5,
          },
        );
    } finally {
      const remaining = (this.#waiting.get(root) ?? 1) - 1;
      if (remaining === 0) this.#waiting.delete(root);
      else this.#waiting.set(root, remaining);
    }
  }

  #loading(root: string): Promise<void> {
    const under = this.#loads.get(root);
    if (under) return under;
    const failure = this.#failures.get(root);
    if (failure && failure.until > performance.now()) return Promise.reject(failure.error);
    this.#failures.delete(root);
    const loading = this.#load(root).finally(() => this.#loads.delete(root));
    this.#loads.set(root, loading);
    return loading;
  }

  async #load(root: string): Promise<void> {
    const { registry, running, control } = this.#options;
    await control.settled(root);
    if (registry.isOffered(root)) return;
    try {
      await this.#capacity.withCapacity(root, async () => {
        await control.load(root);
        if (registry.isOffered(root)) return;
        if (!registry.isUnfit(root)) throw missingConfiguration(root);
        // A model that cannot serve requests is unloaded again.
        await control.unload(root);
      });
    } catch (error) {
      const apiError = ApiError.from(error);
      // All waiting clients have disconnected, or another client has loaded it.
      if (apiError.code === 'client_closed_request' || registry.isOffered(root)) return;
      // Another client loads or unloads it, or one of its parts.
      const isReady = registry.copiesOf(root).every(({ found }) => found.state === 'READY');
      if (apiError.code === 'model_busy' || isReady) return running.ended(lookPause);
      throw this.#remember(root, apiError);
    }
  }

  #remember(root: string, apiError: ApiError): ApiError {
    const remembered = new ApiError('model_not_ready', apiError.message, {
      param: 'model',
      retryAfter: failureMemory / 1000,
      cause: apiError.cause,
    });
    this.#failures.set(root, { error: remembered, until: performance.now() + failureMemory });
    return remembered;
  }
}

/** The error for a loaded model whose configuration is still unknown. */
function missingConfiguration(root: string): ApiError {
  const message = `The model ${root} is loaded, but its server did not return its configuration. Try again later.`;
  return new ApiError('model_not_ready', message, { param: 'model' });
}
