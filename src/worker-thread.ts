import { Worker } from 'node:worker_threads';
import type { Signal } from './signal.ts';

/** What a caller sends to the program of a thread. The program reports when a timed task starts. */
export interface ThreadRequest<Task> {
  readonly id: number;
  readonly task: Task;
  readonly isTimed: boolean;
}

/** What the program sends back: the start of a timed task, a result, a failure, or a notice that belongs to no task. */
export type ThreadMessage =
  | { readonly type: 'begin'; readonly id: number }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly message: string; readonly kind: string | undefined }
  | { readonly type: 'notice'; readonly message: string };

/** Why a task has no result: it threw, it took longer than its time limit, or its thread ended. */
export class ThreadError extends Error {
  readonly reason: 'failure' | 'timeout' | 'end';
  /** The `kind` of the error that the task threw, where it has one. */
  readonly kind: string | undefined;

  constructor(reason: ThreadError['reason'], message: string, kind?: string) {
    super(message);
    this.reason = reason;
    this.kind = kind;
  }
}

interface ThreadOptions {
  /** For messages: "The NAME ended with code 1." */
  readonly name: string;
  /** The program, which calls `runTasks`. */
  readonly file: () => URL;
  /** What the program finds as `workerData`. */
  readonly data?: unknown;
  /** Megabytes of heap. Where a task needs more, the thread ends and the next task starts another. */
  readonly memory?: number;
  /** How many tasks the thread has at a time; the others wait here. All by default. */
  readonly tasksAtOnce?: number;
  readonly onNotice?: (message: string) => void;
}

interface CallOptions {
  /** Milliseconds from its start after which the task fails and its thread is replaced. */
  readonly timeLimit?: number | undefined;
  /** A task that still waits when it aborts is dropped. */
  readonly signal?: Signal | undefined;
}

interface Call<Task> extends CallOptions {
  readonly task: Task;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/**
 * Calls tasks in a thread: started at the first task, replaced when it ends, no reason for the process to stay alive
 * while it is idle. `Results` maps the `kind` of a task to what it gives.
 */
export class WorkerThread<Task extends { readonly kind: string }, Results extends Record<Task['kind'], unknown>> {
  readonly #options: ThreadOptions;
  readonly #sent = new Map<number, Call<Task>>();
  #waiting: Call<Task>[] = [];
  #worker: Worker | undefined;
  #nextId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Runs a task in the thread. Rejects with a ThreadError, or with the reason of the signal. */
  call<Kind extends Task['kind']>(
    task: Extract<Task, { kind: Kind }>,
    options: CallOptions = {},
  ): Promise<Results[Kind]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, ...options, resolve: resolve as (value: unknown) => void, reject });
      this.#send();
    });
  }

  /** Ends the thread and fails its tasks; the next task starts another. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker, `The ${this.#options.name} was stopped.`);
    await worker.terminate();
  }

  #send(): void {
    const { tasksAtOnce = Number.POSITIVE_INFINITY } = this.#options;
    while (this.#waiting.length > 0 && this.#sent.size < tasksAtOnce) {
      const call = this.#waiting.shift() as Call<Task>;
      if (call.signal?.aborted) call.reject(call.signal.reason as Error);
      else this.#post(call);
    }
    // An idle thread must not keep the process alive.
    if (this.#sent.size === 0) this.#worker?.unref();
  }

  #post(call: Call<Task>): void {
    const id = this.#nextId++;
    try {
      const worker = this.#running();
      const request: ThreadRequest<Task> = { id, task: call.task, isTimed: call.timeLimit !== undefined };
      worker.postMessage(request);
      worker.ref();
      this.#sent.set(id, call);
    } catch (error) {
      call.reject(error as Error);
    }
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const { name, file, data, memory } = this.#options;
    const worker = new Worker(file(), {
      workerData: data,
      ...(memory === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memory } }),
    });
    worker.on('message', (message: ThreadMessage) => {
      if (worker === this.#worker) this.#receive(message, worker);
    });
    worker.on('error', (error: Error) => this.#lose(worker, error.message));
    worker.on('exit', (code) => this.#lose(worker, `The ${name} ended with code ${code}.`));
    this.#worker = worker;
    return worker;
  }

  #receive(message: ThreadMessage, worker: Worker): void {
    switch (message.type) {
      case 'begin':
        return this.#watch(message.id, worker);
      case 'result':
        return this.#settle(message.id)?.resolve(message.value);
      case 'failure':
        return this.#settle(message.id)?.reject(new ThreadError('failure', message.message, message.kind));
      case 'notice':
        return this.#options.onNotice?.(message.message);
    }
  }

  #settle(id: number): Call<Task> | undefined {
    const call = this.#sent.get(id);
    clearTimeout(call?.timer);
    this.#sent.delete(id);
    this.#send();
    return call;
  }

  #watch(id: number, worker: Worker): void {
    const call = this.#sent.get(id);
    if (call?.timeLimit === undefined) return;
    call.timer = setTimeout(() => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      void worker.terminate();
      this.#sent.delete(id);
      // The other tasks did nothing wrong: the next thread runs them.
      this.#waiting = [...this.#forget(), ...this.#waiting];
      call.reject(new ThreadError('timeout', `A task of the ${this.#options.name} took too long.`));
      this.#send();
    }, call.timeLimit);
  }

  #lose(worker: Worker, message: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#forget()) reject(new ThreadError('end', message));
    this.#send();
  }

  #forget(): Call<Task>[] {
    const calls = [...this.#sent.values()];
    for (const { timer } of calls) clearTimeout(timer);
    this.#sent.clear();
    return calls;
  }
}
