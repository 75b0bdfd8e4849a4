import { resolve } from 'node:path';
import { workerFile } from '../../worker-file.ts';
import { ThreadError, WorkerThread } from '../../worker-thread.ts';
import type { ResponseStore, StoredResponse } from './response-store.ts';
import type { SqliteResults, SqliteStart, SqliteTask } from './sqlite-worker.ts';
import { StoreError, unavailable } from './store-error.ts';
import { isPossibleId, responseOf, rowOf } from './stored-row.ts';

interface SqliteOptions extends SqliteStart {
  readonly onError: (error: StoreError) => void;
}

/** Responses in a SQLite file, which several processes may share. A worker thread has the file open. */
export class SqliteStore implements ResponseStore {
  readonly #start: SqliteStart;
  readonly #thread: WorkerThread<SqliteTask, SqliteResults>;
  readonly #calls = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor({ file, limits, onError }: SqliteOptions) {
    this.#start = { file: resolve(file), limits };
    this.#thread = new WorkerThread({
      name: 'database thread',
      file: () => workerFile('responses/store/sqlite-worker'),
      data: this.#start,
      onNotice: (message) => onError(new StoreError(message)),
    });
  }

  /** Opens the file, or rejects with a StoreError. */
  static async open(options: SqliteOptions): Promise<SqliteStore> {
    const store = new SqliteStore(options);
    try {
      await store.#call({ kind: 'open' });
    } catch (error) {
      await store.#thread.stop();
      throw error;
    }
    return store;
  }

  async save(response: StoredResponse): Promise<void> {
    const row = rowOf(response, this.#start.limits);
    await this.#call<'save'>({ kind: 'save', row }).catch((error: unknown) => {
      throw unavailable('save', error);
    });
  }

  async find(owner: string, id: string): Promise<StoredResponse | undefined> {
    if (!isPossibleId(id)) return undefined;
    const row = await this.#call<'find'>({ kind: 'find', owner, id }).catch((error: unknown) => {
      throw unavailable('read', error);
    });
    return row && responseOf(row);
  }

  async conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined> {
    if (!isPossibleId(id)) return undefined;
    const rows = await this.#call<'conversation'>({ kind: 'conversation', owner, id }).catch((error: unknown) => {
      throw unavailable('read', error);
    });
    return rows?.map(responseOf);
  }

  async delete(owner: string, id: string): Promise<boolean> {
    if (!isPossibleId(id)) return false;
    return this.#call<'delete'>({ kind: 'delete', owner, id }).catch((error: unknown) => {
      throw unavailable('delete', error);
    });
  }

  /** Closes the file and ends the thread after all calls. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#calls);
    if (!this.#thread.isRunning) return;
    try {
      await this.#thread.call({ kind: 'close' });
    } finally {
      await this.#thread.stop();
    }
  }

  /** Performs a task in the thread; rejects with a StoreError. */
  async #call<Kind extends SqliteTask['kind']>(
    task: Extract<SqliteTask, { kind: Kind }>,
  ): Promise<SqliteResults[Kind]> {
    const { file } = this.#start;
    if (this.#isClosed) throw new StoreError(`${file}: the store has been closed.`);
    const call = this.#thread.call<Kind>(task);
    this.#calls.add(call);
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      throw new StoreError(error.reason === 'end' ? `${file}: ${error.message}` : error.message);
    } finally {
      this.#calls.delete(call);
    }
  }
}
