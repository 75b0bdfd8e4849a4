import { ApiError } from '../errors.ts';
import type { ModelControl } from './model-control.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';

interface RoomOptions {
  readonly registry: ModelRegistry;
  readonly running: RunningRequests;
  readonly control: ModelControl;
  /** How many models may be loaded at the same time; undefined: any number. */
  readonly maxLoaded: number | undefined;
  /** Milliseconds that one may wait for room. */
  readonly timeout: number;
  /** How many requests wait until this model is loaded. */
  readonly waiting: (root: string) => number;
}

/** Milliseconds after which a model that is in use takes no new requests, so that it can make room. */
const patience = 2_000;
/** Milliseconds after which it is looked again whether there is room: others may have unloaded something. */
const lookPause = 250;

/** The places for loaded models. One that is needed is taken from the model that was used the longest time ago. */
export class ModelRoom {
  readonly #options: RoomOptions;
  /** Models that have a place and are being loaded. */
  readonly #reserved = new Set<string>();
  /** Those that want a place get it one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** Waits for a place and keeps it while the work is done. */
  async withPlace(root: string, work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => this.#makeRoom(root));
    this.#last = turn.catch(() => undefined);
    await turn;
    try {
      await work();
    } finally {
      this.#reserved.delete(root);
    }
  }

  async #makeRoom(root: string): Promise<void> {
    const { maxLoaded = Number.POSITIVE_INFINITY, timeout, running, waiting } = this.#options;
    const begun = performance.now();
    for (;;) {
      // Nothing is unloaded for clients that have left.
      if (waiting(root) === 0) throw new ApiError('client_closed_request', 'Nobody waits for the model any more.');
      const taken = this.#taken(root);
      if (taken.length < maxLoaded) break;
      const waited = performance.now() - begun;
      if (waited > timeout)
        throw new ApiError('model_not_ready', `The model ${root} is not loaded: all ${maxLoaded} others are in use.`, {
          param: 'model',
          retryAfter: 5,
        });
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
      // Its requests did not end in time, or somebody else has begun to change it: it is looked again.
      if (!(error instanceof ApiError && error.code === 'model_busy')) throw error;
    }
  }
}
