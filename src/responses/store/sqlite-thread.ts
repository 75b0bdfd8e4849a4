import { Worker } from 'node:worker_threads';
import { workerFile } from '../../worker-file.ts';
import { StoreError } from './store-error.ts';
import type { ThreadAnswer, ThreadResults, ThreadStart, ThreadTask } from './thread-messages.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

interface ThreadOptions extends ThreadStart {
  readonly onFault: (error: StoreError) => void;
}

/** The thread that has a SQLite file open: started at first use, replaced when it ends. */
export class SqliteThread {
  readonly #start: ThreadStart;
  readonly #onFault: (error: StoreError) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #asked = new Set<Promise<unknown>>();
  #worker: Worker | undefined;
  #next = 0;
  #isStopped = false;

  constructor({ file, limits, onFault }: ThreadOptions) {
    this.#start = { file, limits };
    this.#onFault = onFault;
  }

  /** Opens the file; where it cannot be opened the thread ends. */
  async open(): Promise<void> {
    try {
      await this.ask({ kind: 'open' });
    } catch (error) {
      await this.#worker?.terminate();
      throw error;
    }
  }

  /** Does a task off the event loop; what is in its way is a StoreError. */
  async ask<Kind extends ThreadTask['kind']>(task: Extract<ThreadTask, { kind: Kind }>): Promise<ThreadResults[Kind]> {
    if (this.#isStopped) throw new StoreError(`${this.#start.file}: the store has been closed.`);
    const asked = this.#send(task);
    this.#asked.add(asked);
    try {
      return (await asked) as ThreadResults[Kind];
    } finally {
      this.#asked.delete(asked);
    }
  }

  /** Closes the file and ends the thread, when all that was asked is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#asked);
    const worker = this.#worker;
    if (!worker) return;
    try {
      await this.#send({ kind: 'close' });
    } finally {
      await worker.terminate();
    }
  }

  #send(task: ThreadTask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const number = this.#next++;
      const worker = this.#running();
      this.#pending.set(number, { resolve, reject });
      worker.ref();
      worker.postMessage({ number, task });
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(workerFile('responses/store/sqlite-worker'), { workerData: this.#start });
    worker.on('message', (answer: ThreadAnswer) => this.#receive(answer));
    worker.on('error', (error) => this.#lose(worker, error.message));
    worker.on('exit', (code) => this.#lose(worker, `exit code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #receive(answer: ThreadAnswer): void {
    if (answer.kind === 'background-fault') return this.#onFault(new StoreError(answer.message));
    const pending = this.#pending.get(answer.number);
    this.#pending.delete(answer.number);
    // An idle thread must not keep the process alive.
    if (this.#pending.size === 0) this.#worker?.unref();
    if (answer.kind === 'result') pending?.resolve(answer.value);
    else pending?.reject(new StoreError(answer.message));
  }

  /** Forgets a thread that has ended; nobody knows what became of its tasks. */
  #lose(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const lost = Array.from(this.#pending.values());
    this.#pending.clear();
    for (const { reject } of lost) {
      reject(new StoreError(`${this.#start.file}: the thread of the database ended (${reason}).`));
    }
  }
}
