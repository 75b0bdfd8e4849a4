import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.ts';
import type { Link } from '../link.ts';
import type { ModelRegistry } from './registry.ts';
import type { RunningRequests } from './running-requests.ts';

interface SharedOptions {
  readonly link: Link;
  readonly registry: Pick<ModelRegistry, 'refresh' | 'withdraw'>;
  readonly running: RunningRequests;
}

/** Models that take no more requests in any process, for a time at most. */
interface Withdrawal {
  readonly key: string;
  readonly roots: readonly string[];
  readonly milliseconds: number;
}

interface Restoring {
  readonly key: string;
  readonly asking: string;
}

interface Cancelling {
  readonly roots: readonly string[];
  readonly message: string;
}

/** Milliseconds that other processes have to look at the servers. */
const longestRefresh = 60_000;
/** Milliseconds between two looks at the requests of other processes. */
const lookPause = 50;

/** The requests that run on each model in all processes of this Conch, and what all of them must know of models. */
export class SharedRequests {
  readonly #options: SharedOptions;
  /** This process among those that are asked. */
  readonly #self = randomUUID();
  readonly #withdrawn = new Map<string, { readonly restore: () => void; readonly timer: NodeJS.Timeout }>();

  constructor(options: SharedOptions) {
    this.#options = options;
    const { link, registry, running } = options;
    link.register('requests.count', (roots) => running.count(roots as string[]));
    link.register('requests.cancel', (given) => {
      const { roots, message } = given as Cancelling;
      running.cancel(roots, new ApiError('model_not_ready', message, { param: 'model' }));
    });
    // Who asks has looked already.
    const lookAfter = async (asking: string): Promise<void> => {
      if (asking !== this.#self) await registry.refresh();
    };
    link.register('models.refresh', (asking) => lookAfter(asking as string));
    link.register('models.withdraw', (given) => this.#withdraw(given as Withdrawal));
    link.register('models.restore', async (given) => {
      const { key, asking } = given as Restoring;
      await lookAfter(asking);
      this.#restore(key);
    });
  }

  /** Takes no more requests for these models anywhere, until the function that it gives is called or the time is over. */
  async withdraw(roots: readonly string[], milliseconds: number): Promise<() => Promise<void>> {
    const { link } = this.#options;
    const key = randomUUID();
    await link.askAll('models.withdraw', { key, roots, milliseconds } satisfies Withdrawal);
    return async () => {
      const restoring: Restoring = { key, asking: this.#self };
      await link.askAll('models.restore', restoring, { timeout: longestRefresh });
    };
  }

  /** Has all other processes look at the servers. */
  async refresh(): Promise<void> {
    await this.#options.link.askAll('models.refresh', this.#self, { timeout: longestRefresh });
  }

  async count(roots: readonly string[]): Promise<number> {
    const { count } = await this.#look(roots);
    return count;
  }

  /** Ends the requests of these models with a fault that says why. */
  async cancel(roots: readonly string[], message: string): Promise<void> {
    await this.#options.link.askAll('requests.cancel', { roots, message } satisfies Cancelling);
  }

  /** Whether the models have no requests any more, waiting for it so many milliseconds. */
  async idle(roots: readonly string[], milliseconds: number): Promise<boolean> {
    const { running } = this.#options;
    const end = performance.now() + milliseconds;
    while (await running.idle(roots, end - performance.now())) {
      const { count, missing } = await this.#look(roots);
      if (count + missing === 0) return true;
      if (performance.now() > end) return false;
      await running.ended(lookPause);
    }
    return false;
  }

  /** The requests of those processes that tell; one that is too busy to do so may have others. */
  async #look(roots: readonly string[]): Promise<{ readonly count: number; readonly missing: number }> {
    const { answers, missing } = await this.#options.link.askAll('requests.count', roots);
    return { count: (answers as readonly number[]).reduce((sum, count) => sum + count, 0), missing };
  }

  #withdraw({ key, roots, milliseconds }: Withdrawal): void {
    // The process that asked for it may be gone before it takes it back.
    const timer = setTimeout(() => this.#restore(key), milliseconds).unref();
    this.#withdrawn.set(key, { restore: this.#options.registry.withdraw(roots), timer });
  }

  #restore(key: string): void {
    const withdrawn = this.#withdrawn.get(key);
    if (!withdrawn) return;
    this.#withdrawn.delete(key);
    clearTimeout(withdrawn.timer);
    withdrawn.restore();
  }
}
