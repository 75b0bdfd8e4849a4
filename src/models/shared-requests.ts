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

/** Stops requests to these models in all processes, for a limited time. */
interface Withdrawal {
  readonly key: string;
  readonly roots: readonly string[];
  readonly milliseconds: number;
}

interface RestoreMessage {
  readonly key: string;
  readonly asking: string;
}

interface CancelMessage {
  readonly roots: readonly string[];
  readonly message: string;
}

/** Milliseconds that other processes have to check the servers. */
const longestRefresh = 60_000;
/** Milliseconds between two counts of the requests of other processes. */
const lookPause = 50;

/** The running requests of each model in all processes of this Conch, and what all processes must do with models. */
export class SharedRequests {
  readonly #options: SharedOptions;
  /** The id of this process. */
  readonly #self = randomUUID();
  readonly #withdrawn = new Map<string, { readonly restore: () => void; readonly timer: NodeJS.Timeout }>();

  constructor(options: SharedOptions) {
    this.#options = options;
    const { link, registry, running } = options;
    link.register('requests.count', (roots) => running.count(roots as string[]));
    link.register('requests.cancel', (argument) => {
      const { roots, message } = argument as CancelMessage;
      running.cancel(roots, new ApiError('model_not_ready', message, { param: 'model' }));
    });
    // The process that sends the request has already checked the servers.
    const lookAfter = async (asking: string): Promise<void> => {
      if (asking !== this.#self) await registry.refresh();
    };
    link.register('models.refresh', (asking) => lookAfter(asking as string));
    link.register('models.withdraw', (argument) => this.#withdraw(argument as Withdrawal));
    link.register('models.restore', async (argument) => {
      const { key, asking } = argument as RestoreMessage;
      await lookAfter(asking);
      this.#restore(key);
    });
  }

  /** Stops requests to these models in all processes, until the returned function is called or the time is over. */
  async withdraw(roots: readonly string[], milliseconds: number): Promise<() => Promise<void>> {
    const { link } = this.#options;
    const key = randomUUID();
    await link.askAll('models.withdraw', { key, roots, milliseconds } satisfies Withdrawal);
    return async () => {
      const restoring: RestoreMessage = { key, asking: this.#self };
      await link.askAll('models.restore', restoring, { timeout: longestRefresh });
    };
  }

  /** Makes all other processes check the servers. */
  async refresh(): Promise<void> {
    await this.#options.link.askAll('models.refresh', this.#self, { timeout: longestRefresh });
  }

  async count(roots: readonly string[]): Promise<number> {
    const { count } = await this.#look(roots);
    return count;
  }

  /** Ends the requests of these models with an error that has this message. */
  async cancel(roots: readonly string[], message: string): Promise<void> {
    await this.#options.link.askAll('requests.cancel', { roots, message } satisfies CancelMessage);
  }

  /** Waits until the models have no requests, at most so many milliseconds. Returns whether they have none. */
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

  /** The requests of all processes that respond; one that is too busy to respond may have more. */
  async #look(roots: readonly string[]): Promise<{ readonly count: number; readonly missing: number }> {
    const { responses, missing } = await this.#options.link.askAll('requests.count', roots);
    return { count: (responses as readonly number[]).reduce((sum, count) => sum + count, 0), missing };
  }

  #withdraw({ key, roots, milliseconds }: Withdrawal): void {
    // The process that sent the request may end before it restores them.
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
