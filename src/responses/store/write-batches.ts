import { isBusy } from './sqlite-errors.ts';
import type { SqliteWrite } from './sqlite-responses.ts';

interface PendingWrite {
  readonly write: SqliteWrite;
  readonly resolve: (result: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes after which a batch ends, so that reads are not delayed. */
const fullBatch = 16 * 2 ** 20;

/** Combines waiting writes in one transaction, so that they wait for the disk once. */
export class WriteBatches {
  readonly #perform: (writes: readonly SqliteWrite[]) => readonly boolean[];
  #waiting: PendingWrite[] = [];
  #isDue = false;

  constructor(perform: (writes: readonly SqliteWrite[]) => readonly boolean[]) {
    this.#perform = perform;
  }

  /** Resolves when the write is durable. */
  add(write: SqliteWrite): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // After all messages that have already arrived: they are one batch.
    setImmediate(() => {
      this.#isDue = false;
      this.#write(this.#take());
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #take(): PendingWrite[] {
    let bytes = 0;
    const over = this.#waiting.findIndex(({ write }) => (bytes += sizeOf(write)) > fullBatch);
    // The first write is always part of the batch, however large.
    const batch = this.#waiting.slice(0, over === -1 ? undefined : Math.max(1, over));
    this.#waiting = this.#waiting.slice(batch.length);
    return batch;
  }

  #write(batch: readonly PendingWrite[]): void {
    try {
      const results = this.#perform(batch.map(({ write }) => write));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] ?? false);
    } catch (error) {
      if (batch.length === 1 || isBusy(error)) for (const { reject } of batch) reject(error);
      // One failed write must not fail the others.
      else for (const one of batch) this.#write([one]);
    }
  }
}

function sizeOf(write: SqliteWrite): number {
  return write.kind === 'save' ? write.row.size : 0;
}
