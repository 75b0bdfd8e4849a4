import type Database from 'libsql';
import { largestConversation, lastExpired, longestConversation, type StoreLimits } from './response-store.ts';
import type { StoredRow } from './stored-row.ts';

export type SqliteWrite =
  | { readonly kind: 'save'; readonly row: StoredRow }
  | { readonly kind: 'delete'; readonly owner: string; readonly id: string };

/** How many responses one transaction removes. The next write waits for it. */
const mostRemoved = 200;

const columns = 'r.owner, r.id, r.created, r.previous_id AS "previousId", r.size, r.response, r.input';

const sql = {
  save: `
    INSERT INTO responses (owner, id, created, previous_id, size, response, input) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner, id) DO UPDATE SET created = excluded.created, previous_id = excluded.previous_id,
      size = excluded.size, response = excluded.response, input = excluded.input`,
  delete: 'DELETE FROM responses WHERE owner = ? AND id = ? AND created > ?',
  find: `SELECT ${columns} FROM responses r WHERE r.owner = ? AND r.id = ? AND r.created > ?`,
  // Returns nothing if the chain has no first response: because it is deleted, too far away or in a cycle.
  conversation: `
    WITH RECURSIVE chain (depth, total, number, owner, previous_id) AS (
      SELECT 1, r.size, r.rowid, r.owner, r.previous_id FROM responses r WHERE r.owner = ?1 AND r.id = ?2 AND r.created > ?3
      UNION ALL
      SELECT chain.depth + 1, chain.total + r.size, r.rowid, r.owner, r.previous_id
      FROM chain JOIN responses r ON r.owner = chain.owner AND r.id = chain.previous_id
      WHERE chain.depth < ${longestConversation} AND chain.total + r.size <= ${largestConversation} AND r.created > ?3
    )
    SELECT ${columns} FROM chain JOIN responses r ON r.rowid = chain.number
    WHERE EXISTS (SELECT 1 FROM chain WHERE previous_id IS NULL)
    ORDER BY chain.depth DESC`,
  total: 'SELECT size FROM total',
  hasExpired: 'SELECT EXISTS (SELECT 1 FROM responses WHERE created <= ?)',
  removeExpired: `
    DELETE FROM responses WHERE rowid IN (
      SELECT rowid FROM responses WHERE created <= ? ORDER BY created LIMIT ${mostRemoved})`,
  removeOldest: `
    DELETE FROM responses WHERE rowid = (SELECT rowid FROM responses ORDER BY created, rowid LIMIT 1)`,
} as const;

/** The responses in an open database. Every call blocks its thread until the disk is done. */
export class SqliteResponses {
  readonly #database: Database.Database;
  readonly #limits: StoreLimits;
  readonly #statements: Readonly<Record<keyof typeof sql, Database.Statement>>;

  constructor(database: Database.Database, limits: StoreLimits) {
    this.#database = database;
    this.#limits = limits;
    const entries = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
    this.#statements = Object.fromEntries(entries);
  }

  /** Performs the writes in one transaction. Returns for each whether it changed something. */
  write(writes: readonly SqliteWrite[]): boolean[] {
    return this.#inTransaction(() => {
      const results = writes.map((write) => (write.kind === 'save' ? this.#save(write.row) : this.#delete(write)));
      this.#removeOldest();
      return results;
    });
  }

  find(owner: string, id: string): StoredRow | undefined {
    return this.#statements.find.all(owner, id, lastExpired(this.#limits))[0] as StoredRow | undefined;
  }

  conversation(owner: string, id: string): StoredRow[] | undefined {
    const rows = this.#statements.conversation.all(owner, id, lastExpired(this.#limits)) as StoredRow[];
    return rows.length === 0 ? undefined : rows;
  }

  /** Removes some responses beyond the limits. Returns whether there are more. */
  trim(): boolean {
    if (!this.exceedsLimits()) return false;
    this.#inTransaction(() => {
      this.#statements.removeExpired.run(lastExpired(this.#limits));
      this.#removeOldest();
    });
    return this.exceedsLimits();
  }

  exceedsLimits(): boolean {
    return this.#total() > this.#limits.maxSize || this.#number('hasExpired', lastExpired(this.#limits)) === 1;
  }

  close(): void {
    try {
      // A copy of only the file is then complete.
      this.#database.pragma('wal_checkpoint(PASSIVE)');
    } finally {
      this.#database.close();
    }
  }

  #save({ owner, id, created, previousId, size, response, input }: StoredRow): boolean {
    this.#statements.save.run(owner, id, created, previousId, size, response, input);
    return true;
  }

  #delete({ owner, id }: { readonly owner: string; readonly id: string }): boolean {
    return this.#statements.delete.run(owner, id, lastExpired(this.#limits)).changes === 1;
  }

  #removeOldest(): void {
    for (let left = mostRemoved; left > 0 && this.#total() > this.#limits.maxSize; left--) {
      this.#statements.removeOldest.run();
    }
  }

  #total(): number {
    return this.#number('total');
  }

  #number(name: 'total' | 'hasExpired', ...values: number[]): number {
    return Number(this.#statements[name].pluck().all(...values)[0]);
  }

  #inTransaction<Result>(action: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite itself rolls back after some errors, for example a full disk.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
