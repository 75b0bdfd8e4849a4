import type { StoreLimits } from './response-store.ts';
import { openDatabase } from './sqlite-file.ts';
import { SqliteResponses } from './sqlite-responses.ts';
import type { ThreadResults, ThreadTask } from './thread-messages.ts';
import { WriteBatches } from './write-batches.ts';

/** Milliseconds between two looks for what has become too old. */
const trimInterval = 60_000;

interface DeskOptions {
  readonly file: string;
  readonly limits: StoreLimits;
  /** Told of a fault that nobody waits for, such as one that stands in the way of the limits. */
  readonly onFault: (error: unknown) => void;
}

/** Does the tasks of a SQLite store in the thread that it stands in, and holds the limits between them. */
export class SqliteDesk {
  readonly #responses: SqliteResponses;
  readonly #batches: WriteBatches;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #isTrimming = false;
  #isClosed = false;

  constructor({ file, limits, onFault }: DeskOptions) {
    this.#responses = new SqliteResponses(openDatabase(file), limits);
    this.#onFault = onFault;
    this.#batches = new WriteBatches((writes) => {
      const results = this.#responses.write(writes);
      if (this.#responses.exceedsLimits()) this.#trimSoon();
      return results;
    });
    this.#timer = setInterval(() => this.#trim(), trimInterval).unref();
    this.#trim();
  }

  async perform(task: ThreadTask): Promise<ThreadResults[ThreadTask['kind']]> {
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
      this.#onFault(error);
    }
  }

  /** A step at a time, so that the tasks that have come meanwhile are done between two. */
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
      // Nothing is lost: what could not be moved into the file is in the log beside it.
      this.#onFault(error);
    }
  }
}
