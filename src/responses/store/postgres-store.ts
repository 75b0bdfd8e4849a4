import { Pool, type QueryResult } from 'pg';
import { readAddress } from './postgres-address.ts';
import { hasLostConnection, postgresError } from './postgres-errors.ts';
import { prepareSchema } from './postgres-schema.ts';
import { PostgresSweeper } from './postgres-sweeper.ts';
import {
  largestConversation,
  lastExpired,
  longestConversation,
  type ResponseStore,
  type StoredResponse,
  type StoreLimits,
} from './response-store.ts';
import { type StoreError, unavailable } from './store-error.ts';
import { isPossibleId, responseOf, rowOf, type StoredRow } from './stored-row.ts';

interface PostgresOptions {
  readonly url: string;
  readonly limits: StoreLimits;
  readonly onError: (error: StoreError) => void;
}

// pg returns a bigint as text, a double as a number.
const columns = 'r.owner, r.id, r.created::float8 AS created, r.previous_id AS "previousId", r.response, r.input';

const sql = {
  save: `
    INSERT INTO conch_responses (owner, id, created, previous_id, size, response, input)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (owner, id) DO UPDATE SET created = excluded.created, previous_id = excluded.previous_id,
      size = excluded.size, response = excluded.response, input = excluded.input`,
  delete: 'DELETE FROM conch_responses WHERE owner = $1 AND id = $2 AND created > $3',
  find: `SELECT ${columns} FROM conch_responses r WHERE r.owner = $1 AND r.id = $2 AND r.created > $3`,
  // Returns nothing if the chain has no first response: because it is deleted, too far away or in a cycle.
  conversation: `
    WITH RECURSIVE chain (depth, total, number, owner, previous_id) AS (
      SELECT 1, r.size, r.number, r.owner, r.previous_id
      FROM conch_responses r WHERE r.owner = $1 AND r.id = $2 AND r.created > $3
      UNION ALL
      SELECT chain.depth + 1, chain.total + r.size, r.number, r.owner, r.previous_id
      FROM chain JOIN conch_responses r ON r.owner = chain.owner AND r.id = chain.previous_id
      WHERE chain.depth < ${longestConversation} AND chain.total + r.size <= ${largestConversation} AND r.created > $3
    )
    SELECT ${columns} FROM chain JOIN conch_responses r ON r.number = chain.number
    WHERE EXISTS (SELECT 1 FROM chain WHERE previous_id IS NULL)
    ORDER BY chain.depth DESC`,
} as const;

/** Responses in a PostgreSQL database, which several processes may share. */
export class PostgresStore implements ResponseStore {
  readonly #pool: Pool;
  readonly #limits: StoreLimits;
  readonly #storeError: (error: unknown) => StoreError;
  readonly #sweeper: PostgresSweeper;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(pool: Pool, { name, limits, onError }: Omit<PostgresOptions, 'url'> & { name: string }) {
    this.#pool = pool;
    this.#limits = limits;
    this.#storeError = (error) => postgresError(error, name);
    this.#sweeper = new PostgresSweeper({ pool, limits, onError: (error) => onError(this.#storeError(error)) });
  }

  /** Connects and creates the tables, or rejects with a StoreError. */
  static async open({ url, limits, onError }: PostgresOptions): Promise<PostgresStore> {
    const { config, name } = readAddress(url);
    const pool = new Pool(config);
    // An idle connection that is lost leaves the pool, and the next query opens another. One that is lost during a query
    // fails the query.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      await prepareSchema(pool, name);
    } catch (error) {
      await pool.end();
      throw postgresError(error, name);
    }
    return new PostgresStore(pool, { name, limits, onError });
  }

  async save(response: StoredResponse): Promise<void> {
    const { owner, id, created, previousId, size, response: text, input } = rowOf(response, this.#limits);
    await this.#ask('save', [owner, id, created, previousId, size, text, input]).catch((error: unknown) => {
      throw unavailable('save', this.#storeError(error));
    });
    this.#sweeper.add(size);
  }

  async find(owner: string, id: string): Promise<StoredResponse | undefined> {
    return (await this.#read('find', owner, id))[0];
  }

  async conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined> {
    const responses = await this.#read('conversation', owner, id);
    return responses.length === 0 ? undefined : responses;
  }

  async delete(owner: string, id: string): Promise<boolean> {
    if (!isPossibleId(id)) return false;
    const values = [owner, id, lastExpired(this.#limits)];
    // Not repeated when the connection is lost: the first attempt may have deleted it.
    const { rowCount } = await this.#query('delete', values).catch((error: unknown) => {
      throw unavailable('delete', this.#storeError(error));
    });
    return rowCount === 1;
  }

  async close(): Promise<void> {
    // A pool that has ended drops queries that wait for a connection.
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#sweeper.stop();
    await this.#pool.end();
  }

  async #read(query: 'find' | 'conversation', owner: string, id: string): Promise<StoredResponse[]> {
    if (!isPossibleId(id)) return [];
    const { rows } = await this.#ask(query, [owner, id, lastExpired(this.#limits)]).catch((error: unknown) => {
      throw unavailable('read', this.#storeError(error));
    });
    return rows.map(responseOf);
  }

  /** Runs an idempotent query, and repeats it once if the connection was lost. */
  async #ask(query: keyof typeof sql, values: readonly unknown[]): Promise<QueryResult<StoredRow>> {
    try {
      return await this.#query(query, values);
    } catch (error) {
      if (!hasLostConnection(error)) throw error;
      return this.#query(query, values);
    }
  }

  async #query(query: keyof typeof sql, values: readonly unknown[]): Promise<QueryResult<StoredRow>> {
    const running = this.#pool.query<StoredRow>(sql[query], [...values]);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}
