import { ActiveList } from '../active-list.ts';
import type { ApiError } from '../errors.ts';

/** Ends a request before its answer is complete. */
type Cancel = (fault: ApiError) => void;

interface Use {
  readonly requests: ActiveList<Cancel>;
  /** Grows with every request that begins or ends, over all models. */
  last: number;
}

/** The requests that run on each model, by the name that the model has on its servers. */
export class RunningRequests {
  readonly #uses = new Map<string, Use>();
  readonly #listeners = new Set<() => void>();
  #clock = 0;

  /** Counts a request until the function that it gives back is called. */
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

  /** Which of two models was used later: the one with the larger number; 0 for one that never was. */
  lastUse(model: string): number {
    return this.#uses.get(model)?.last ?? 0;
  }

  cancel(models: readonly string[], fault: ApiError): void {
    for (const model of models) for (const cancel of this.#uses.get(model)?.requests ?? []) cancel(fault);
  }

  /** Whether the models have no requests any more, waiting for it so many milliseconds. */
  async idle(models: readonly string[], milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    for (let left = milliseconds; this.count(models) > 0; left = end - performance.now()) {
      if (left <= 0) return false;
      await this.ended(left);
    }
    return true;
  }

  /** Resolves when any request ends, and after so many milliseconds in any case. */
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
