import type { Pool } from 'pg';
import { inTransaction } from './postgres-schema.ts';
import { lastExpired, type StoreLimits } from './response-store.ts';

/** Milliseconds between two looks for what has become too old. */
const sweepInterval = 60_000;

/** The part of the largest size that may be written before the size is looked at again. */
const share = 1 / 20;

/** How many responses one statement removes. */
const mostRemoved = 1000;

const removeExpired = `
DELETE FROM conch_responses WHERE number IN (
  SELECT number FROM conch_responses WHERE created <= $1 ORDER BY created LIMIT ${mostRemoved})`;

// Added up from the newest on: the first that is too much, and all before it, go.
const removeOldest = `
DELETE FROM conch_responses WHERE number IN (
  SELECT number FROM conch_responses WHERE (created, number) <= (
    SELECT created, number FROM (
      SELECT created, number, sum(size) OVER (ORDER BY created DESC, number DESC) AS added FROM conch_responses
    ) AS sums WHERE added > $1 ORDER BY created DESC, number DESC LIMIT 1)
  ORDER BY created, number LIMIT ${mostRemoved})`;

interface SweeperOptions {
  readonly pool: Pool;
  readonly limits: StoreLimits;
  readonly onFault: (error: unknown) => void;
}

/** Holds the limits of a PostgreSQL store beside its work: at the start, every minute, and after much was written. */
export class PostgresSweeper {
  readonly #options: SweeperOptions;
  readonly #timer: NodeJS.Timeout;
  #written = 0;
  #running: Promise<void> | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#start(), sweepInterval).unref();
    this.#start();
  }

  /** Counts what was saved. */
  add(size: number): void {
    this.#written += size;
    if (this.#isDue()) this.#start();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #isDue(): boolean {
    return this.#written > this.#options.limits.maxSize * share;
  }

  #start(): void {
    this.#running ??= this.#sweepWhileDue().finally(() => (this.#running = undefined));
  }

  async #sweepWhileDue(): Promise<void> {
    try {
      do {
        this.#written = 0;
        await this.#sweep();
      } while (this.#isDue());
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  async #sweep(): Promise<void> {
    const { maxSize } = this.#options.limits;
    await this.#remove(removeExpired, lastExpired(this.#options.limits));
    await this.#remove(removeOldest, Math.min(maxSize, Number.MAX_SAFE_INTEGER));
  }

  async #remove(statement: string, bound: number): Promise<void> {
    let removed: number;
    do {
      // What the second process finds is what the first has left.
      removed = await inTransaction(this.#options.pool, 'sweep', async (client) => {
        const { rowCount } = await client.query(statement, [bound]);
        return rowCount ?? 0;
      });
    } while (removed === mostRemoved);
  }
}
