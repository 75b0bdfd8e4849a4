import type { Pool, PoolClient } from 'pg';

/** Numbers of the locks that Conch's processes take against each other in one database. */
const locks = { schema: 436_801, sweep: 436_802 } as const;

/** Does something in a transaction of its own, one process after the other. */
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
    // The connection may be in the middle of the transaction: it is not used again.
    client.release(true);
    throw error;
  }
}
