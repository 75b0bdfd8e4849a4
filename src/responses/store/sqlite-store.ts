import { resolve } from 'node:path';
import type { ResponseStore, StoredResponse, StoreLimits } from './response-store.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { type StoreError, unavailable } from './store-error.ts';
import { isPossibleId, responseOf, rowOf } from './stored-row.ts';

interface SqliteOptions {
  readonly file: string;
  readonly limits: StoreLimits;
  readonly onFault: (error: StoreError) => void;
}

/** Responses in a SQLite file, which several processes may share. */
export class SqliteStore implements ResponseStore {
  readonly #thread: SqliteThread;
  readonly #limits: StoreLimits;

  private constructor(thread: SqliteThread, limits: StoreLimits) {
    this.#thread = thread;
    this.#limits = limits;
  }

  /** Opens the file, or rejects with a StoreError that says why it cannot be. */
  static async open({ file, limits, onFault }: SqliteOptions): Promise<SqliteStore> {
    const thread = new SqliteThread({ file: resolve(file), limits, onFault });
    await thread.open();
    return new SqliteStore(thread, limits);
  }

  async save(response: StoredResponse): Promise<void> {
    const row = rowOf(response, this.#limits);
    await this.#thread.ask({ kind: 'save', row }).catch((error: unknown) => {
      throw unavailable('save', error);
    });
  }

  async find(owner: string, id: string): Promise<StoredResponse | undefined> {
    if (!isPossibleId(id)) return undefined;
    const row = await this.#thread.ask({ kind: 'find', owner, id }).catch((error: unknown) => {
      throw unavailable('read', error);
    });
    return row && responseOf(row);
  }

  async conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined> {
    if (!isPossibleId(id)) return undefined;
    const rows = await this.#thread.ask({ kind: 'conversation', owner, id }).catch((error: unknown) => {
      throw unavailable('read', error);
    });
    return rows?.map(responseOf);
  }

  async delete(owner: string, id: string): Promise<boolean> {
    if (!isPossibleId(id)) return false;
    return this.#thread.ask({ kind: 'delete', owner, id }).catch((error: unknown) => {
      throw unavailable('delete', error);
    });
  }

  async close(): Promise<void> {
    await this.#thread.stop();
  }
}
