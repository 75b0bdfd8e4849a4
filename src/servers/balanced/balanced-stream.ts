import type { Entry } from '../../active-list.ts';
import { failedPart, isSuspect } from '../../kserve/engine-failure.ts';
import { StreamFault } from '../../kserve/infer-codec.ts';
import type { InferenceServer, InferResponse } from '../../kserve/server.ts';
import type { Beginning, GroupOptions, Responses } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import { WaitFault } from '../../kserve/wait-fault.ts';
import type { Attempt } from './attempt.ts';
import type { BalanceOptions } from './balance-options.ts';
import type { EngineState, EngineStream } from './engine-state.ts';
import type { EngineWatch } from './engine-watch.ts';
import type { Blame } from './outcome.ts';
import type { Losable, ServerState } from './server-state.ts';
import type { Ticker, Waiting } from './ticker.ts';

/** A failed try, as far as it matters for the next one. */
export interface FailedTry {
  readonly state: ServerState;
  readonly blame: Blame;
  readonly error: unknown;
}

/** What the streams of one group need of the balancer. */
export interface StreamHost {
  readonly ticker: Ticker;
  readonly engines: EngineWatch;
  readonly options: () => BalanceOptions;
  /** Chooses a server; after failed tries, undefined when no other is worth one. */
  choose(given: GroupOptions, failed: readonly FailedTry[]): ServerState | undefined;
  /** Begins to count on a server; undefined when it went away since it was chosen. */
  enter(state: ServerState): Attempt | undefined;
  /** Whether another server than this one and those that failed would take it. */
  hasOther(than: ServerState, failed: readonly FailedTry[]): boolean;
  /** Whether one more retry is affordable; then it is counted. */
  takeRetry(): boolean;
  /** Milliseconds to wait before a retry. */
  pauseBefore(failed: readonly FailedTry[], next: ServerState): number;
  failed(attempt: Attempt, error: unknown, given: GroupOptions): Blame;
}

type Result = IteratorResult<InferResponse[]>;
type Begin = (server: InferenceServer, beginning: Beginning) => Responses;
const notWaiting = -1;
const done: Result = { done: true, value: undefined };

/** The responses of an inference: of the first server that answers. Once one has, its stream is handed through. */
export class BalancedStream implements Responses, Waiting, Losable, EngineStream {
  readonly #host: StreamHost;
  readonly #begin: Begin;
  readonly #given: GroupOptions;
  readonly #start = performance.now();
  #isLeft = false;
  /** Ends the pause before a retry. */
  #endPause: (() => void) | undefined;
  #attempt: Attempt | undefined;
  #engine: EngineState | undefined;
  /** Where it stands while it runs. */
  #ticking: Entry<Waiting> | undefined;
  #waiting: Entry<Losable> | undefined;
  #running: Entry<EngineStream> | undefined;
  #responses: Responses | undefined;
  #hasBegun = false;
  readonly #failed: FailedTry[] = [];
  /** When the wait for the server began. */
  #waitsSince = notWaiting;

  constructor(host: StreamHost, begin: Begin, given: GroupOptions) {
    this.#host = host;
    this.#begin = begin;
    this.#given = given;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (!this.#hasBegun || !this.#responses) return this.#first();
    this.#waitsSince = this.#host.ticker.now;
    const read = this.#responses.next();
    // Beside the reader's own: what is read gets to it without a detour.
    void read.then(this.#onRead, this.#onFault);
    return read;
  }

  async return(): Promise<Result> {
    this.#leave();
    this.#end();
    await this.#responses?.return?.();
    return done;
  }

  async throw(fault: unknown): Promise<Result> {
    this.#leave();
    this.#end();
    await this.#responses?.throw?.(fault);
    return done;
  }

  /** Ends a wait that has lasted too long. */
  tick(now: number): void {
    if (this.#waitsSince === notWaiting) return;
    const { firstTokenTimeout, idleTimeout } = this.#host.options();
    const limit = this.#hasBegun ? idleTimeout : this.#given.answersOnce ? 0 : firstTokenTimeout;
    if (limit === 0 || now - this.#waitsSince < limit) return;
    this.#waitsSince = notWaiting;
    void this.#responses?.throw?.(new WaitFault(this.#hasBegun ? 'next' : 'first', limit)).catch(() => undefined);
  }

  /** The server that is waited for does not answer: another one is asked, if one would be. */
  lose(fault: StatusError): void {
    const state = this.#attempt?.state;
    if (!state || this.#hasBegun || !this.#mayRetry(this.#failed.length + 1)) return;
    if (this.#host.hasOther(state, this.#failed)) void this.#responses?.throw?.(fault).catch(() => undefined);
  }

  get isWaiting(): boolean {
    return this.#waitsSince !== notWaiting;
  }

  abandon(fault: StatusError): void {
    void this.#responses?.throw?.(fault).catch(() => undefined);
  }

  readonly #onRead = (result: Result): void => {
    this.#waitsSince = notWaiting;
    this.#engine?.heard(this.#host.ticker.now);
    if (result.done) this.#end();
  };

  readonly #onFault = (error: unknown): void => {
    this.#waitsSince = notWaiting;
    // An answer that takes all of its time may have kept its server busy to the end.
    if (this.#attempt && !isTotalTimeout(error)) this.#host.failed(this.#attempt, error, this.#given);
    this.#end();
  };

  #leave(): void {
    this.#isLeft = true;
    this.#endPause?.();
  }

  #end(): void {
    this.#attempt?.end(performance.now());
    this.#unwatch();
  }

  #unwatch(): void {
    const attempt = this.#attempt;
    if (attempt && this.#waiting) attempt.state.waiting.remove(this.#waiting);
    if (attempt && this.#running) this.#host.engines.leave(attempt.state, attempt.model, this.#running);
    this.#engine = undefined;
    this.#attempt = undefined;
    this.#waitsSince = notWaiting;
    if (this.#ticking) this.#host.ticker.remove(this.#ticking);
  }

  async #first(): Promise<Result> {
    if (this.#isLeft) return done;
    const chosen = this.#host.choose(this.#given, this.#failed);
    for (let attempt = chosen && this.#host.enter(chosen); ; ) {
      if (!attempt) return done;
      try {
        return await this.#try(attempt, this.#failed.at(-1)?.error);
      } catch (error) {
        this.#unwatch();
        // A whole answer, or one that had less than all of the time, may be late for no fault of its server's.
        if (isTotalTimeout(error) && (this.#given.answersOnce || this.#failed.length > 0)) {
          attempt.end(performance.now());
          throw error;
        }
        this.#failed.push({ state: attempt.state, blame: this.#host.failed(attempt, error, this.#given), error });
        attempt = await this.#another();
        if (!attempt) throw error;
      }
    }
  }

  async #try(attempt: Attempt, after: unknown): Promise<Result> {
    const { ticker } = this.#host;
    this.#attempt = attempt;
    this.#responses = this.#begin(attempt.state.server, { timeout: this.#timeLeft(after), after });
    this.#ticking = ticker.add(this);
    const waiting = attempt.state.waiting.add(this);
    this.#waiting = waiting;
    this.#engine = attempt.state.engineOf(attempt.model);
    this.#running = this.#host.engines.enter(this.#engine, this);
    this.#waitsSince = ticker.now;
    const result = await this.#responses.next();
    this.#waitsSince = notWaiting;
    this.#hasBegun = true;
    this.#engine?.heard(ticker.now);
    attempt.state.waiting.remove(waiting);
    if (result.done) this.#end();
    else if (this.#attempt) attempt.answered(performance.now());
    return result;
  }

  /** All of the time for the first try; for a later one what the others have left. */
  #timeLeft(after: unknown): number | undefined {
    const { timeout } = this.#given;
    if (timeout === undefined || after === undefined) return timeout;
    return Math.max(1, timeout - (performance.now() - this.#start));
  }

  /** A further try after the last one failed, if one makes sense. */
  async #another(): Promise<Attempt | undefined> {
    const { timeout } = this.#given;
    const failed = this.#failed;
    const last = failed.at(-1);
    if (!last || last.blame === 'request' || isTotalTimeout(last.error) || !this.#mayRetry(failed.length)) return;
    // It may have been the reason. Nor does one that was spared once run on a third engine.
    if (isSuspect(last.error) || failed.filter(({ error }) => failedPart(error)).length > 1) return;
    // Before its V1 engine, vLLM told the request that ended its engine the bare reason.
    if (this.#given.isGuided && last.blame === 'unclear' && last.error instanceof StreamFault) return;
    const next = this.#host.choose(this.#given, failed);
    if (!next) return;
    const pause = this.#host.pauseBefore(failed, next);
    if (timeout !== undefined && performance.now() - this.#start + pause >= timeout) return;
    if (!this.#host.takeRetry() || !(await this.#pause(pause))) return;
    const attempt = this.#host.enter(next);
    if (attempt) last.state.retried++;
    return attempt;
  }

  /** Whether it may be begun again after so many tries. */
  #mayRetry(tries: number): boolean {
    const { signal, isOnlyOnce } = this.#given;
    return !isOnlyOnce && !signal?.aborted && !this.#isLeft && tries <= this.#host.options().retries;
  }

  /** Waits; whether the answer is still wanted then. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#given;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', this.#endPause, { once: true });
    });
    if (this.#endPause) signal?.removeEventListener('abort', this.#endPause);
    this.#endPause = undefined;
    return !this.#isLeft && !signal?.aborted;
  }
}

function isTotalTimeout(error: unknown): boolean {
  return error instanceof StatusError && error.code === 'DEADLINE_EXCEEDED' && !(error instanceof WaitFault);
}
