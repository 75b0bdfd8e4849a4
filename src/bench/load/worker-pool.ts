import { type ChildProcess, fork } from 'node:child_process';
import { workerFile } from '../../worker-file.ts';
import { errorKinds, kindLines } from '../error-kinds.ts';
import type { FromWorker, Outcome, TextCounts, ToWorker, Warmup, WorkerCost, WorkerTask } from './messages.ts';

/** The measurements of all workers. */
export interface Measurements {
  readonly outcomes: readonly Outcome[];
  readonly costs: readonly WorkerCost[];
  readonly textCounts: readonly TextCounts[];
}

interface PoolOptions {
  readonly task: Omit<WorkerTask, 'worker' | 'workers'>;
  readonly workers: number;
  /** Called after the warm-up of all workers, just before the measured requests start. */
  readonly onMeasure: () => void;
  readonly onProgress: (done: number) => void;
  readonly stop: AbortSignal;
}

/** Runs a load in worker processes. They never outlive it. */
export async function runLoad({ task, workers, onMeasure, onProgress, stop }: PoolOptions): Promise<Measurements> {
  const pool = Array.from({ length: workers }, (_, worker) => new Worker({ ...task, worker, workers }));
  const stopAll = (): void => pool.forEach((member) => member.tell({ kind: 'stop' }));
  stop.addEventListener('abort', stopAll);
  if (stop.aborted) stopAll();
  try {
    refuseHopeless(await Promise.all(pool.map((member) => member.ready)), stop);
    onMeasure();
    for (const member of pool) {
      member.onProgress = () => onProgress(pool.reduce((total, { outcomes }) => total + outcomes.length, 0));
      member.tell({ kind: 'measure' });
    }
    const results = await Promise.all(pool.map((member) => member.result));
    return {
      outcomes: pool.flatMap(({ outcomes }) => outcomes).toSorted((a, b) => a.startedAt - b.startedAt),
      costs: results.map(({ cost }) => cost),
      textCounts: results.map(({ textCounts }) => textCounts),
    };
  } finally {
    stop.removeEventListener('abort', stopAll);
    for (const member of pool) member.end();
  }
}

/** The load failed; the message is for users. */
export class LoadError extends Error {}

/** Stops if every request of the warm-up failed: the others would fail too. */
function refuseHopeless(warmups: readonly Warmup[], stop: AbortSignal): void {
  const errors = warmups.flatMap((warmup) => warmup.errors);
  if (errors.length === 0 || warmups.some(({ succeeded }) => succeeded > 0) || stop.aborted) return;
  throw new LoadError(`All ${errors.length} warm-up requests failed.\n${kindLines(errorKinds(errors)).join('\n')}`);
}

type Done = Extract<FromWorker, { kind: 'done' }>;

class Worker {
  readonly #child: ChildProcess;
  readonly ready: Promise<Warmup>;
  readonly result: Promise<Done>;
  readonly outcomes: Outcome[] = [];
  onProgress: () => void = () => undefined;

  constructor(task: WorkerTask) {
    // Accidental output must not get into the tables on stdout.
    this.#child = fork(workerFile('bench/load/worker'), { serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
    const listen = <T>(take: (message: FromWorker, resolve: (value: T) => void) => void): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        this.#child.on('message', (message: FromWorker) => {
          if (message.kind === 'failed') reject(new LoadError(`The load generator failed: ${message.message}`));
          else take(message, resolve);
        });
        this.#child.on('error', ({ message }) =>
          reject(new LoadError(`Communication with a process of the load generator failed: ${message}.`)),
        );
        this.#child.on('exit', (code, signal) =>
          reject(new LoadError(`A process of the load generator ended early (${signal ?? `code ${code}`}).`)),
        );
      });
    this.ready = listen<Warmup>((message, resolve) => {
      if (message.kind === 'ready') resolve(message.warmup);
    });
    this.result = listen<Done>((message, resolve) => {
      if (message.kind === 'done') resolve(message);
    });
    // The promise that nothing awaits must not end the process with an unhandled rejection.
    this.ready.catch(() => undefined);
    this.result.catch(() => undefined);
    this.#child.on('message', (message: FromWorker) => {
      if (message.kind !== 'progress') return;
      for (const outcome of message.outcomes) this.outcomes.push(outcome);
      this.onProgress();
    });
    this.tell({ kind: 'prepare', task });
  }

  tell(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message);
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
