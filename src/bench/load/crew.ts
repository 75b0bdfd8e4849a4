import { type ChildProcess, fork } from 'node:child_process';
import { workerFile } from '../../worker-file.ts';
import { errorKinds, kindLines } from '../error-kinds.ts';
import type { FromWorker, Outcome, TextCounts, ToWorker, Warmup, WorkerCost, WorkerTask } from './messages.ts';

/** What the workers measured together. */
export interface Measured {
  readonly outcomes: readonly Outcome[];
  readonly costs: readonly WorkerCost[];
  readonly textCounts: readonly TextCounts[];
}

interface CrewOptions {
  readonly task: Omit<WorkerTask, 'worker' | 'workers'>;
  readonly workers: number;
  /** Called once all are warmed up, just before the measured requests begin. */
  readonly onMeasure: () => void;
  readonly onProgress: (done: number) => void;
  readonly stop: AbortSignal;
}

/** Runs a load in processes of its own. They never outlive it. */
export async function runLoad({ task, workers, onMeasure, onProgress, stop }: CrewOptions): Promise<Measured> {
  const crew = Array.from({ length: workers }, (_, worker) => new Member({ ...task, worker, workers }));
  const stopAll = (): void => crew.forEach((member) => member.tell({ kind: 'stop' }));
  stop.addEventListener('abort', stopAll);
  if (stop.aborted) stopAll();
  try {
    refuseHopeless(await Promise.all(crew.map((member) => member.ready)), stop);
    onMeasure();
    for (const member of crew) {
      member.onProgress = () => onProgress(crew.reduce((total, { outcomes }) => total + outcomes.length, 0));
      member.tell({ kind: 'measure' });
    }
    const results = await Promise.all(crew.map((member) => member.result));
    return {
      outcomes: crew.flatMap(({ outcomes }) => outcomes).toSorted((a, b) => a.startedAt - b.startedAt),
      costs: results.map(({ cost }) => cost),
      textCounts: results.map(({ textCounts }) => textCounts),
    };
  } finally {
    stop.removeEventListener('abort', stopAll);
    for (const member of crew) member.end();
  }
}

/** A load that cannot be made, in words for people. */
export class LoadError extends Error {}

/** Where not one of the first requests was answered, none of the others would be. */
function refuseHopeless(warmups: readonly Warmup[], stop: AbortSignal): void {
  const errors = warmups.flatMap((warmup) => warmup.errors);
  if (errors.length === 0 || warmups.some(({ answered }) => answered > 0) || stop.aborted) return;
  throw new LoadError(
    `All ${errors.length} requests of the warm-up failed.\n${kindLines(errorKinds(errors)).join('\n')}`,
  );
}

type Done = Extract<FromWorker, { kind: 'done' }>;

class Member {
  readonly #child: ChildProcess;
  readonly ready: Promise<Warmup>;
  readonly result: Promise<Done>;
  readonly outcomes: Outcome[] = [];
  onProgress: () => void = () => undefined;

  constructor(task: WorkerTask) {
    // What is printed by accident must not come between the tables.
    this.#child = fork(workerFile('bench/load/worker'), { serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
    const listen = <T>(take: (message: FromWorker, resolve: (value: T) => void) => void): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        this.#child.on('message', (message: FromWorker) => {
          if (message.kind === 'failed') reject(new LoadError(`The load generator failed: ${message.message}`));
          else take(message, resolve);
        });
        this.#child.on('error', ({ message }) =>
          reject(new LoadError(`A process of the load generator cannot be talked to: ${message}.`)),
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
    // Who waits for the one hears of a failure; the other must not end the program.
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
