import { endedBy } from '../errors.ts';

/** Lets so many do their work at a time, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Does a work once it is its turn. One that nobody wants any more is not begun. */
  async take<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      if (signal?.aborted) throw endedBy(signal);
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', giveUp);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(endedBy(signal as AbortSignal));
      };
      this.#waiting.add(begin);
      if (signal?.aborted) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    });
  }
}
