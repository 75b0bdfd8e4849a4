import type { Pool, PoolClient } from 'pg';
import { StoreError } from './store-error.ts';

const schemaVersion = 1;

const schema = `
CREATE TABLE conch_responses (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner text NOT NULL,
  id text NOT NULL,
  created bigint NOT NULL,
  previous_id text,
  size bigint NOT NULL,
  response text NOT NULL,
  input text NOT NULL,
  UNIQUE (owner, id)
);
CREATE INDEX conch_responses_by_age ON conch_responses (created, number) INCLUDE (size);
CREATE TABLE conch_store (version integer NOT NULL);
INSERT INTO conch_store VALUES (${schemaVersion});
`;

/** Creates missing tables; several processes may do so at once. */
export async function prepareSchema(pool: Pool, name: string): Promise<void> {
  await inTransaction(pool, 'schema', (client) => prepare(client, name));
}

async function prepare(client: PoolClient, name: string): Promise<void> {
  const { rows: facts } = await client.query<{ encoding: string; table: string | null }>(
    `SELECT current_setting('server_encoding') AS encoding, to_regclass('conch_store')::text AS table`,
  );
  if (facts[0]?.encoding !== 'UTF8') {
    throw new StoreError(
      `${name}: the database has the encoding ${facts[0]?.encoding}. Create one with the encoding UTF8.`,
    );
  }
  if (facts[0].table === null) await client.query(schema);
  const { rows } = await client.query<{ version: number }>('SELECT version FROM conch_store');
  const version = rows[0]?.version ?? 0;
  if (version > schemaVersion) {
    throw new StoreError(
      `${name}: a newer version of Conch created the tables (schema ${version}; this version supports up to ${schemaVersion}). Upgrade Conch, or use another database.`,
    );
  }
}

/** Advisory locks between the processes of Conch in one database. */
const locks = { schema: 436_801, sweep: 436_802 } as const;

/** Runs an action in a transaction, one process at a time. */
export async function inTransaction<Result>(
  pool: Pool,
  lock: keyof typeof locks,
  action: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks[lock]]);
    const result = await action(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The connection may still be in the transaction, so it is not reused.
    client.release(true);
    throw error;
  }
}
