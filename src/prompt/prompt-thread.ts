import { Worker } from 'node:worker_threads';
import { workerFile } from '../worker-file.ts';
import { TemplateError } from './jinja/values.ts';
import type { WorkerAnswer, WorkerResults, WorkerTask } from './worker-messages.ts';

interface Pending {
  readonly task: WorkerTask;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  watchdog?: NodeJS.Timeout;
  /** It was already given to a thread that ended. */
  retried: boolean;
}

// A template ends itself at its limit; this much later it is taken for one that cannot.
const grace = 500;

/** One thread for all models' tokenizers and for large templates: started at first use, replaced when it ends. */
class PromptThread {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private nextId = 0;

  /** Does a task off the event loop. */
  async ask<Kind extends WorkerTask['kind']>(task: Extract<WorkerTask, { kind: Kind }>): Promise<WorkerResults[Kind]> {
    return new Promise<WorkerResults[Kind]>((resolve, reject) => {
      const id = this.nextId++;
      this.pending.set(id, { task, resolve: resolve as (value: unknown) => void, reject, retried: false });
      this.send(id, task);
    });
  }

  /** Ends the thread; the next task starts another. */
  async stop(): Promise<void> {
    const worker = this.worker;
    if (worker === undefined) return;
    this.abandon(worker, new Error('The prompt thread was stopped.'), false);
    await worker.terminate();
  }

  private send(id: number, task: WorkerTask): void {
    try {
      const worker = this.running();
      worker.ref();
      worker.postMessage({ id, task });
    } catch (error) {
      this.settle(id)?.reject(error as Error);
    }
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(workerFile('prompt/worker'), { resourceLimits: { maxOldGenerationSizeMb: 1024 } });
    worker.on('message', (message: WorkerAnswer) => this.receive(message, worker));
    worker.on('error', (error) => this.abandon(worker, error, false));
    worker.on('exit', (code) => this.abandon(worker, new Error(`The prompt thread ended with code ${code}.`), false));
    this.worker = worker;
    return worker;
  }

  private receive(message: WorkerAnswer, worker: Worker): void {
    if (worker !== this.worker) return;
    if (message.type === 'started') {
      this.watch(message.id, worker);
      return;
    }
    const pending = this.settle(message.id);
    if (message.type === 'result') pending?.resolve(message.value);
    else if (message.template) pending?.reject(new TemplateError(message.message, message.template));
    else pending?.reject(new Error(message.message));
  }

  private settle(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    clearTimeout(pending?.watchdog);
    this.pending.delete(id);
    // An idle thread must not keep the process alive.
    if (this.pending.size === 0) this.worker?.unref();
    return pending;
  }

  private watch(id: number, worker: Worker): void {
    const pending = this.pending.get(id);
    if (pending === undefined || !('time' in pending.task)) return;
    pending.watchdog = setTimeout(() => {
      this.settle(id)?.reject(new TemplateError('The chat template takes too long for this conversation.', 'limit'));
      this.abandon(worker, new Error('The prompt thread hung.'), true);
      void worker.terminate();
    }, pending.task.time + grace);
  }

  /** Forgets a thread. Tasks that were not to blame are given to a new one, once; the others fail. */
  private abandon(worker: Worker, reason: Error, retry: boolean): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    const lost = Array.from(this.pending);
    for (const [id, pending] of lost) {
      clearTimeout(pending.watchdog);
      if (retry && !pending.retried) {
        pending.retried = true;
        this.send(id, pending.task);
      } else {
        this.settle(id)?.reject(new Error(`Tokenizing failed: ${reason.message}`, { cause: reason }));
      }
    }
  }
}

/** The one prompt thread of this process. */
export const promptThread = new PromptThread();
