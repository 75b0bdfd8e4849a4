import { ActiveList } from '../active-list.ts';
import type { ApiError } from '../errors.ts';

/** Ends a request before its response is complete. */
type Cancel = (error: ApiError) => void;

interface ModelUse {
  readonly requests: ActiveList<Cancel>;
  /** Increases with every request that starts or ends, over all models. */
  last: number;
}

/** The running requests of each model, by its name on the servers. */
export class RunningRequests {
  readonly #uses = new Map<string, ModelUse>();
  readonly #listeners = new Set<() => void>();
  #clock = 0;

  /** Counts a request until the returned function is called. */
  begin(model: string, cancel: Cancel): () => void {
    const use = this.#uses.get(model) ?? { requests: new ActiveList<Cancel>(), last: 0 };
    this.#uses.set(model, use);
    const entry = use.requests.add(cancel);
    use.last = ++this.#clock;
    return () => {
      if (!use.requests.remove(entry)) return;
      use.last = ++this.#clock;
      for (const listener of this.#listeners) listener();
    };
  }

  count(models: readonly string[]): number {
    return models.reduce((sum, model) => sum + (this.#uses.get(model)?.requests.size ?? 0), 0);
  }

  /** Larger for the model that was used later; 0 for one that was never used. */
  lastUse(model: string): number {
    return this.#uses.get(model)?.last ?? 0;
  }

  cancel(models: readonly string[], error: ApiError): void {
    for (const model of models) for (const cancel of this.#uses.get(model)?.requests ?? []) cancel(error);
  }

  /** Waits until the models have no requests, at most so many milliseconds. Returns whether they have none. */
  async idle(models: readonly string[], milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    for (let left = milliseconds; this.count(models) > 0; left = end - performance.now()) {
      if (left <= 0) return false;
      await this.ended(left);
    }
    return true;
  }

  /** Resolves when any request ends, at the latest after so many milliseconds. */
  ended(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.#listeners.add(done);
    });
  }
}
