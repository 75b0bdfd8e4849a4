import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { ReadyWorker } from './link.ts';
import { Messenger } from './messenger.ts';

interface WorkerPoolOptions {
  readonly size: number;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  /** Prepares the connection to a new worker. Returns the function to call when that worker has ended. */
  readonly onWorker: (number: number, messenger: Messenger) => () => void;
}

interface Member {
  readonly worker: Worker;
  readonly messenger: Messenger;
  /** Whether it serves requests. */
  isReady: boolean;
}

const firstBackoff = 200;
const longestBackoff = 30_000;
/** After this many milliseconds of life, the restart delay of a worker starts from the beginning. */
const longLife = 60_000;

/** The workers, each with a number. A worker that dies is restarted. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Map<number, Member>();
  readonly #restarts = new Map<number, NodeJS.Timeout>();
  readonly #deaths = new Map<number, number>();
  #isStopping = false;
  #exitCode = 0;
  #onEmpty: () => void = () => undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    // Half the cost of structured clones, also for each connection that a worker gets.
    cluster.setupPrimary({ serialization: 'json' });
  }

  /** Starts the first worker and, once it serves requests, all others. Resolves to its exit code if it ended before. */
  async start(): Promise<number | undefined> {
    const code = await new Promise<number | undefined>((resolve) => {
      this.#fork(1, { onReady: () => resolve(undefined), onEarlyExit: resolve });
    });
    if (code === undefined && !this.#isStopping)
      for (let number = 2; number <= this.#options.size; number++) this.#fork(number);
    return code;
  }

  /** The workers that serve requests. */
  ready(): ReadyWorker[] {
    const ready = [...this.#members].filter(([, { isReady }]) => isReady);
    return ready.map(([number, { messenger }]) => ({ number, messenger }));
  }

  notify(name: string, argument?: unknown): void {
    for (const { messenger } of this.#members.values()) messenger.notify(name, argument);
  }

  /** Stops all workers. Resolves when they have ended: to 1 if one had to cancel requests. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    for (const timer of this.#restarts.values()) clearTimeout(timer);
    this.notify('stop');
    if (this.#members.size > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    return this.#exitCode;
  }

  #fork(
    number: number,
    first: { readonly onReady?: () => void; readonly onEarlyExit?: (code: number) => void } = {},
  ): void {
    const worker = cluster.fork();
    const startTime = performance.now();
    const messenger = new Messenger((messages) => {
      if (worker.isConnected()) worker.process.send([...messages], undefined, undefined, () => undefined);
    });
    const member: Member = { worker, messenger, isReady: false };
    this.#members.set(number, member);
    const release = this.#options.onWorker(number, messenger);
    messenger.on('ready', () => {
      member.isReady = true;
      first.onReady?.();
    });
    worker.on('message', (messages) => messenger.receive(messages));
    worker.once('exit', (code, signal) => {
      messenger.close();
      release();
      this.#members.delete(number);
      if (this.#isStopping) {
        if (code !== 0) this.#exitCode = 1;
        if (this.#members.size === 0) this.#onEmpty();
        first.onEarlyExit?.(0);
      } else if (first.onEarlyExit && !member.isReady) first.onEarlyExit(code ?? 1);
      else this.#restart(number, performance.now() - startTime, signal ? `by signal ${signal}` : `with code ${code}`);
    });
  }

  #restart(number: number, lived: number, how: string): void {
    const deaths = lived > longLife ? 0 : (this.#deaths.get(number) ?? 0);
    this.#deaths.set(number, deaths + 1);
    const delay = Math.min(longestBackoff, firstBackoff * 2 ** deaths);
    this.#options.logger.error(`worker ${number} ended ${how}; it restarts in ${delay / 1000} s`);
    this.#restarts.set(
      number,
      setTimeout(() => this.#fork(number), delay),
    );
  }
}
