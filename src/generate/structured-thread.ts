import { Worker } from 'node:worker_threads';
import type { Verdict } from '../json-schema/validate.ts';
import { workerFile } from '../worker-file.ts';
import type { JudgedForm } from './structured-judge.ts';

/** Milliseconds that one answer may take. */
const longest = 1000;

interface Job {
  readonly form: JudgedForm;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: Error) => void;
}

/** One thread for all answers, one after the other: started at first use, ended when an answer takes too long. */
class StructuredThread {
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #job: Job | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Judges an answer off the event loop; not where nobody waits for the verdict any more. */
  judge(form: JudgedForm, text: string, signal: AbortSignal): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ form, text, signal, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#job) return;
    this.#job = this.#waiting.shift();
    if (this.#job?.signal.aborted) {
      const { signal } = this.#job;
      this.#settle()?.reject(signal.reason as Error);
      return;
    }
    // An idle thread must not keep the process alive.
    if (!this.#job) return this.#worker?.unref();
    try {
      const worker = this.#running();
      worker.ref();
      worker.postMessage({ form: this.#job.form, text: this.#job.text });
    } catch (error) {
      this.#settle()?.reject(error as Error);
    }
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(workerFile('generate/structured-worker'), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    worker.on('message', (message: 'started' | Verdict) => {
      if (worker !== this.#worker) return;
      if (message === 'started') this.#timer = setTimeout(() => this.#giveUp(worker), longest);
      else this.#settle()?.resolve(message);
    });
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', (code) => this.#lose(worker, new Error(`The thread ended with code ${code}.`)));
    this.#worker = worker;
    return worker;
  }

  #giveUp(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#settle()?.resolve({ kind: 'undecided', message: 'takes too long to apply to an answer.' });
  }

  #lose(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#settle()?.reject(new Error('An answer could not be checked.', { cause: error }));
  }

  /** Ends the job that runs; the next one begins once its outcome is known. */
  #settle(): Job | undefined {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = undefined;
    queueMicrotask(() => this.#next());
    return job;
  }
}

/** The one thread of this process for the forms of answers. */
export const structuredThread = new StructuredThread();
