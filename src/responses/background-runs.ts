import { ApiError } from '../errors.ts';
import { BackgroundRun } from './background-run.ts';

/** The shutdown of the process. */
export interface Shutdown {
  /** New work is rejected. */
  readonly hasStarted: boolean;
  /** Aborts when running work must end. */
  readonly over: AbortSignal;
  /** Makes the process wait for this work. */
  hold(work: Promise<unknown>): void;
}

/** The limits on concurrent background responses, and on the characters of all their events. */
const mostRuns = 1000;
const mostWritten = 256 * 2 ** 20;

/** Milliseconds for which the events of a complete response can still be followed. */
const followableTime = 5 * 60_000;

/** The responses that run in the background of this process, and those whose events can still be followed. */
export class BackgroundRuns {
  readonly #running = new Map<string, BackgroundRun>();
  /** Oldest first. */
  readonly #complete = new Map<string, BackgroundRun>();
  readonly #shutdown: Shutdown;

  constructor(shutdown: Shutdown) {
    this.#shutdown = shutdown;
    shutdown.over.addEventListener('abort', () => {
      for (const run of this.#running.values()) void run.cancel(stopped());
    });
  }

  /** A new run, to be started with `begin`. */
  add(options: ConstructorParameters<typeof BackgroundRun>[0]): BackgroundRun {
    if (this.#shutdown.hasStarted)
      throw new ApiError('server_not_ready', 'The server is stopping. Try again later.', { retryAfter: 5 });
    this.#evict();
    if (this.#running.size >= mostRuns || this.#written() > mostWritten)
      throw new ApiError('rate_limit_exceeded', 'background: too many responses are in progress. Try again later.', {
        param: 'background',
        retryAfter: 5,
      });
    return new BackgroundRun(options);
  }

  /** Starts a run that is stored: it can be found from now on. `leave` is called when it ends. */
  begin(run: BackgroundRun, leave: () => void): void {
    const { id } = run.response();
    this.#running.set(id, run);
    const done = run.run().finally(() => {
      leave();
      this.#running.delete(id);
      this.#complete.set(id, run);
      setTimeout(() => this.#complete.delete(id), followableTime).unref();
    });
    this.#shutdown.hold(done);
    if (this.#shutdown.over.aborted) void run.cancel(stopped());
  }

  /** A run that is in progress. */
  running(owner: string, id: string): BackgroundRun | undefined {
    return ofOwner(this.#running.get(id), owner);
  }

  /** A run whose events can be followed. */
  followable(owner: string, id: string): BackgroundRun | undefined {
    return ofOwner(this.#running.get(id) ?? this.#complete.get(id), owner);
  }

  /** Cancels a run that is in progress, and deletes its events. */
  async forget(owner: string, id: string): Promise<void> {
    await this.running(owner, id)?.cancel();
    if (this.followable(owner, id)) this.#complete.delete(id);
  }

  #evict(): void {
    for (const id of this.#complete.keys()) {
      if (this.#written() <= mostWritten / 2) return;
      this.#complete.delete(id);
    }
  }

  #written(): number {
    let sum = 0;
    for (const run of this.#running.values()) sum += run.size;
    for (const run of this.#complete.values()) sum += run.size;
    return sum;
  }
}

function ofOwner(run: BackgroundRun | undefined, owner: string): BackgroundRun | undefined {
  return run?.owner === owner ? run : undefined;
}

function stopped(): ApiError {
  return new ApiError('server_not_ready', 'The server was stopped before the response was complete.');
}
