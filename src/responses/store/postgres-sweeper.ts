import type { Pool } from 'pg';
import { inTransaction } from './postgres-schema.ts';
import { lastExpired, type StoreLimits } from './response-store.ts';

/** Milliseconds between two checks for expired responses. */
const sweepInterval = 60_000;

/** The share of the size limit that may be written before the size is checked again. */
const share = 1 / 20;

/** How many responses one statement removes. */
const mostRemoved = 1000;

const removeExpired = `
DELETE FROM conch_responses WHERE number IN (
  SELECT number FROM conch_responses WHERE created <= $1 ORDER BY created LIMIT ${mostRemoved})`;

// Sums sizes from the newest on: the first one over the limit and all older ones are deleted.
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
  readonly onError: (error: unknown) => void;
}

/** Enforces the limits of a PostgreSQL store in the background: at the start, every minute, and after many writes. */
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

  /** Counts saved bytes. */
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
      this.#options.onError(error);
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
      // A second process finds what the first one has left.
      removed = await inTransaction(this.#options.pool, 'sweep', async (client) => {
        const { rowCount } = await client.query(statement, [bound]);
        return rowCount ?? 0;
      });
    } while (removed === mostRemoved);
  }
}
