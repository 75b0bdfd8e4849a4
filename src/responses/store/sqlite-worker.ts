import { workerData } from 'node:worker_threads';
import { notify, runTasks } from '../../worker-program.ts';
import type { StoreLimits } from './response-store.ts';
import { sqliteError } from './sqlite-errors.ts';
import { openDatabase } from './sqlite-file.ts';
import { SqliteResponses, type SqliteWrite } from './sqlite-responses.ts';
import type { StoredRow } from './stored-row.ts';
import { WriteBatches } from './write-batches.ts';

// The thread of a SQLite store: waits for the disk instead of the main thread.

/** The start options of the thread. */
export interface SqliteStart {
  readonly file: string;
  readonly limits: StoreLimits;
}

export type SqliteTask =
  | SqliteWrite
  | { readonly kind: 'find'; readonly owner: string; readonly id: string }
  | { readonly kind: 'conversation'; readonly owner: string; readonly id: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' };

/** The result of each task. */
export interface SqliteResults extends Record<SqliteTask['kind'], unknown> {
  readonly open: undefined;
  readonly save: boolean;
  readonly delete: boolean;
  readonly find: StoredRow | undefined;
  readonly conversation: readonly StoredRow[] | undefined;
  readonly close: undefined;
}

type SqliteResult = SqliteResults[SqliteTask['kind']];

/** Milliseconds between two checks for expired responses. */
const trimInterval = 60_000;

/** Performs tasks on an open database, and enforces the limits between them. */
class SqliteTasks {
  readonly #responses: SqliteResponses;
  readonly #batches: WriteBatches;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #isTrimming = false;
  #isClosed = false;

  /** `onError` gets errors that belong to no task, for example when the limits cannot be enforced. */
  constructor({ file, limits }: SqliteStart, onError: (error: unknown) => void) {
    this.#responses = new SqliteResponses(openDatabase(file), limits);
    this.#onError = onError;
    this.#batches = new WriteBatches((writes) => {
      const results = this.#responses.write(writes);
      if (this.#responses.exceedsLimits()) this.#trimSoon();
      return results;
    });
    this.#timer = setInterval(() => this.#trim(), trimInterval).unref();
    this.#trim();
  }

  perform(task: SqliteTask): SqliteResult | Promise<boolean> {
    switch (task.kind) {
      case 'open':
        return undefined;
      case 'save':
      case 'delete':
        return this.#batches.add(task);
      case 'find':
        return this.#responses.find(task.owner, task.id);
      case 'conversation':
        return this.#responses.conversation(task.owner, task.id);
      case 'close':
        return this.#close();
    }
  }

  #trim(): void {
    try {
      if (!this.#isClosed && this.#responses.trim()) this.#trimSoon();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Works in steps, so that new tasks run between them. */
  #trimSoon(): void {
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    setImmediate(() => {
      this.#isTrimming = false;
      this.#trim();
    });
  }

  #close(): undefined {
    clearInterval(this.#timer);
    this.#isClosed = true;
    try {
      this.#responses.close();
    } catch (error) {
      // Nothing is lost: what was not moved into the file stays in its write-ahead log.
      this.#onError(error);
    }
  }
}

const start = workerData as SqliteStart;
let tasks: SqliteTasks | undefined;

runTasks<SqliteResult>(async (task: SqliteTask) => {
  try {
    tasks ??= new SqliteTasks(start, (error) => notify(sqliteError(error, start.file).message));
    return await tasks.perform(task);
  } catch (error) {
    throw sqliteError(error, start.file);
  }
});
