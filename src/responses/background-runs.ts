import { ApiError } from '../errors.ts';
import { BackgroundRun } from './background-run.ts';

/** The end of the process. */
export interface Shutdown {
  /** New work is refused. */
  readonly isBegun: boolean;
  /** Aborts when what runs must end. */
  readonly over: AbortSignal;
  /** Work that the process waits for. */
  hold(work: Promise<unknown>): void;
}

/** The most responses that are made in the background at a time, and the most characters of all their events. */
const mostRuns = 1000;
const mostWritten = 256 * 2 ** 20;

/** How long the events of a complete response can still be followed, in milliseconds. */
const followableTime = 5 * 60_000;

/** The responses that are being made in the background of this process, and those whose events can still be followed. */
export class BackgroundRuns {
  readonly #running = new Map<string, BackgroundRun>();
  /** The oldest first. */
  readonly #complete = new Map<string, BackgroundRun>();
  readonly #shutdown: Shutdown;

  constructor(shutdown: Shutdown) {
    this.#shutdown = shutdown;
    shutdown.over.addEventListener('abort', () => {
      for (const run of this.#running.values()) void run.cancel(stopped());
    });
  }

  /** A new one, which begins with `begin`. */
  add(options: ConstructorParameters<typeof BackgroundRun>[0]): BackgroundRun {
    if (this.#shutdown.isBegun) throw new ApiError('server_not_ready', 'The server is stopping.', { retryAfter: 5 });
    this.#makeRoom();
    if (this.#running.size >= mostRuns || this.#written() > mostWritten)
      throw new ApiError('rate_limit_exceeded', 'background: too many responses are being made. Try again later.', {
        param: 'background',
        retryAfter: 5,
      });
    return new BackgroundRun(options);
  }

  /** Begins one that is kept: it is known from now on. `leave` is called when it is over. */
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

  /** One that is being made. */
  running(owner: string, id: string): BackgroundRun | undefined {
    return ofOwner(this.#running.get(id), owner);
  }

  /** One whose events can be followed. */
  followable(owner: string, id: string): BackgroundRun | undefined {
    return ofOwner(this.#running.get(id) ?? this.#complete.get(id), owner);
  }

  /** Ends one, if it is being made, and forgets its events. */
  async forget(owner: string, id: string): Promise<void> {
    await this.running(owner, id)?.cancel();
    if (this.followable(owner, id)) this.#complete.delete(id);
  }

  #makeRoom(): void {
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
