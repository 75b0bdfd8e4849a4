import { ApiError } from '../errors.ts';
import type { ModelControl } from './model-control.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';

interface CapacityOptions {
  readonly registry: ModelRegistry;
  readonly running: RunningRequests;
  readonly control: ModelControl;
  /** How many models may be loaded at the same time; undefined: any number. */
  readonly maxLoaded: number | undefined;
  /** Milliseconds that a model may wait for capacity. */
  readonly timeout: number;
  /** How many requests wait until this model is loaded. */
  readonly waiting: (root: string) => number;
}

/** Milliseconds after which a model in use gets no new requests, so that it can be unloaded. */
const patience = 2_000;
/** Milliseconds between two checks for capacity: other clients may have unloaded something. */
const lookPause = 250;

/** The capacity for loaded models. If it is used up, the least recently used model is unloaded. */
export class ModelCapacity {
  readonly #options: CapacityOptions;
  /** Models that have capacity reserved and are being loaded. */
  readonly #reserved = new Set<string>();
  /** Models get capacity one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** Waits for capacity and reserves it during the work. */
  async withCapacity(root: string, work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => this.#reserve(root));
    this.#last = turn.catch(() => undefined);
    await turn;
    try {
      await work();
    } finally {
      this.#reserved.delete(root);
    }
  }

  async #reserve(root: string): Promise<void> {
    const { maxLoaded = Number.POSITIVE_INFINITY, timeout, running, waiting } = this.#options;
    const startTime = performance.now();
    for (;;) {
      // Nothing is unloaded if all waiting clients have disconnected.
      if (waiting(root) === 0)
        throw new ApiError('client_closed_request', 'All clients that waited for the model have disconnected.');
      const taken = this.#taken(root);
      if (taken.length < maxLoaded) break;
      const waited = performance.now() - startTime;
      if (waited > timeout)
        throw new ApiError(
          'model_not_ready',
          `The model ${root} cannot be loaded: ${maxLoaded} other models are in use (--max-loaded). Try again later.`,
          {
            param: 'model',
            retryAfter: 5,
          },
        );
      const victim = this.#victim(taken, waited > patience);
      if (victim === undefined) await running.ended(lookPause);
      else await this.#evict(victim, timeout - waited);
    }
    this.#reserved.add(root);
  }

  /** The other models that are loaded, being loaded or being unloaded. */
  #taken(root: string): string[] {
    const { registry, control } = this.#options;
    const isTaken = (name: string): boolean =>
      registry.isOffered(name) ||
      this.#reserved.has(name) ||
      control.settled(name) !== undefined ||
      registry.copiesOf(name).some(({ found }) => found.state === 'LOADING' || found.state === 'UNLOADING');
    return registry.names().filter((name) => name !== root && isTaken(name));
  }

  #victim(taken: readonly string[], takesUsed: boolean): string | undefined {
    const { registry, running, control, waiting } = this.#options;
    const [oldest] = taken
      .filter((name) => registry.isOffered(name) && !this.#reserved.has(name) && control.settled(name) === undefined)
      .filter((name) => waiting(name) === 0 && (takesUsed || running.count([name]) === 0))
      .toSorted((a, b) => running.lastUse(a) - running.lastUse(b));
    return oldest;
  }

  async #evict(victim: string, timeLeft: number): Promise<void> {
    try {
      await this.#options.control.unload(victim, undefined, { patience: timeLeft });
    } catch (error) {
      // Its requests did not end in time, or another client loads or unloads it: checked again later.
      if (!(error instanceof ApiError && error.code === 'model_busy')) throw error;
    }
  }
}
