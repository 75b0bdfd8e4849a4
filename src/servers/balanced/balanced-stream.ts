import type { ListEntry } from '../../active-list.ts';
import { failedPart, isSuspect } from '../../kserve/engine-failure.ts';
import { StreamError } from '../../kserve/infer-codec.ts';
import { ResponseTimeoutError } from '../../kserve/response-timeout-error.ts';
import { markRetried } from '../../kserve/retried-errors.ts';
import type { InferResponse, ResponseSink, RunningInference } from '../../kserve/server.ts';
import type { BeginInference, GroupOptions } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Attempt } from './attempt.ts';
import type { BalanceOptions } from './balance-options.ts';
import type { EngineState, EngineStream } from './engine-state.ts';
import type { EngineWatch } from './engine-watch.ts';
import type { Blame } from './outcome.ts';
import type { PendingInference, ServerState } from './server-state.ts';
import type { Ticker, TickListener } from './ticker.ts';

/** A failed try, as far as the next one needs to know. */
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
  choose(groupOptions: GroupOptions, failed: readonly FailedTry[]): ServerState | undefined;
  /** Starts an attempt on a server; undefined when the server was removed since it was chosen. */
  enter(state: ServerState): Attempt | undefined;
  /** Whether a server other than this one and those that failed would take it. */
  hasOther(than: ServerState, failed: readonly FailedTry[]): boolean;
  /** Whether the retry budget allows one more retry; then it is counted. */
  takeRetry(): boolean;
  /** Milliseconds to wait before a retry. */
  pauseBefore(failed: readonly FailedTry[], next: ServerState): number;
  failed(attempt: Attempt, error: unknown, groupOptions: GroupOptions): Blame;
}

const notWaiting = -1;

/** How an inference of a group starts, and where its responses go. */
interface StreamRequest {
  readonly begin: BeginInference;
  readonly sink: ResponseSink;
  readonly groupOptions: GroupOptions;
}

/** An inference on the first server that responds. From then on the responses of that server are passed through. */
export class BalancedStream implements ResponseSink, RunningInference, TickListener, PendingInference, EngineStream {
  readonly #host: StreamHost;
  readonly #begin: BeginInference;
  readonly #sink: ResponseSink;
  readonly #groupOptions: GroupOptions;
  readonly #start = performance.now();
  #isOver = false;
  #isPaused = false;
  /** Ends the pause before a retry. */
  #endPause: (() => void) | undefined;
  #attempt: Attempt | undefined;
  #engine: EngineState | undefined;
  /** Its entries in the lists of running inferences. */
  #tickerEntry: ListEntry<TickListener> | undefined;
  #pendingEntry: ListEntry<PendingInference> | undefined;
  #engineEntry: ListEntry<EngineStream> | undefined;
  #running: RunningInference | undefined;
  #hasStarted = false;
  readonly #failed: FailedTry[] = [];
  /** When the wait for the server started. */
  #waitingSince = notWaiting;

  constructor(host: StreamHost, { begin, sink, groupOptions }: StreamRequest) {
    this.#host = host;
    this.#begin = begin;
    this.#sink = sink;
    this.#groupOptions = groupOptions;
  }

  /** Starts the first try. */
  start(): this {
    try {
      const chosen = this.#host.choose(this.#groupOptions, this.#failed);
      const attempt = chosen && this.#host.enter(chosen);
      if (attempt) this.#try(attempt, undefined);
      else queueMicrotask(() => this.#finish(undefined));
    } catch (error) {
      queueMicrotask(() => this.#finish(error));
    }
    return this;
  }

  response(response: InferResponse): void {
    if (this.#isOver) return;
    const { now } = this.#host.ticker;
    if (!this.#hasStarted) this.#onFirstResponse();
    // Responses that were on their way at the pause still arrive.
    if (!this.#isPaused) this.#waitingSince = now;
    this.#engine?.noteActivity(now);
    this.#sink.response(response);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#running = undefined;
    if (error !== undefined && !this.#hasStarted) {
      this.#onEarlyFailure(error);
      return;
    }
    this.#waitingSince = notWaiting;
    // A response that takes all of its time may have been generating until then, on a healthy server.
    if (error !== undefined && this.#attempt && !isTotalTimeout(error))
      this.#host.failed(this.#attempt, error, this.#groupOptions);
    this.#finish(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#waitingSince = notWaiting;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#running) return;
    this.#waitingSince = this.#host.ticker.now;
    this.#running.resume();
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endPause?.();
    this.#settle();
    this.#running?.cancel();
    this.#running = undefined;
    if (error !== undefined) this.#sink.end(error);
  }

  /** Ends a wait that has lasted too long. */
  tick(now: number): void {
    if (this.#waitingSince === notWaiting) return;
    const { firstTokenTimeout, idleTimeout } = this.#host.options();
    const limit = this.#hasStarted ? idleTimeout : this.#groupOptions.hasSingleResponse ? 0 : firstTokenTimeout;
    if (limit === 0 || now - this.#waitingSince < limit) return;
    this.#running?.cancel(new ResponseTimeoutError(this.#hasStarted ? 'next' : 'first', limit));
  }

  /** The server does not respond: another one gets the request, if one can take it. */
  onServerLost(error: StatusError): void {
    const state = this.#attempt?.state;
    if (!state || this.#hasStarted || !this.#mayRetry(this.#failed.length + 1)) return;
    if (this.#host.hasOther(state, this.#failed)) this.#running?.cancel(error);
  }

  get isWaiting(): boolean {
    return this.#waitingSince !== notWaiting;
  }

  abandon(error: StatusError): void {
    this.#running?.cancel(error);
  }

  #onFirstResponse(): void {
    this.#hasStarted = true;
    const attempt = this.#attempt;
    if (!attempt) return;
    if (this.#pendingEntry) attempt.state.waiting.remove(this.#pendingEntry);
    attempt.responded(performance.now());
  }

  #finish(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle();
    this.#sink.end(error);
  }

  #settle(): void {
    this.#attempt?.end(performance.now());
    this.#unwatch();
  }

  #unwatch(): void {
    const attempt = this.#attempt;
    if (attempt && this.#pendingEntry) attempt.state.waiting.remove(this.#pendingEntry);
    if (attempt && this.#engineEntry) this.#host.engines.leave(attempt.state, attempt.model, this.#engineEntry);
    this.#engine = undefined;
    this.#attempt = undefined;
    this.#waitingSince = notWaiting;
    if (this.#tickerEntry) this.#host.ticker.remove(this.#tickerEntry);
  }

  #try(attempt: Attempt, after: unknown): void {
    const { ticker, engines } = this.#host;
    const { state, model } = attempt;
    this.#attempt = attempt;
    this.#tickerEntry = ticker.add(this);
    this.#pendingEntry = state.waiting.add(this);
    this.#engine = state.engineOf(model);
    this.#engineEntry = engines.enter(this.#engine, this);
    this.#waitingSince = this.#isPaused ? notWaiting : ticker.now;
    try {
      this.#running = this.#begin(state.server, { timeout: this.#timeLeft(after), after }, this);
      if (this.#isPaused) this.#running.pause();
    } catch (error) {
      queueMicrotask(() => this.end(error));
    }
  }

  /** The try failed before its first response. */
  #onEarlyFailure(failure: unknown): void {
    const attempt = this.#attempt;
    this.#unwatch();
    // A unary response, or a retry that had only a part of the time, may be late although its server is healthy.
    if (!attempt || (isTotalTimeout(failure) && (this.#groupOptions.hasSingleResponse || this.#failed.length > 0))) {
      attempt?.end(performance.now());
      this.#finish(failure);
      return;
    }
    const blame = this.#host.failed(attempt, failure, this.#groupOptions);
    this.#failed.push({ state: attempt.state, blame, error: failure });
    this.#retry(failure).catch((reason: unknown) => this.#finish(reason));
  }

  async #retry(error: unknown): Promise<void> {
    const attempt = await this.#nextAttempt();
    if (!attempt && this.#failed.length > 1) markRetried(error);
    if (!attempt) this.#finish(error);
    else if (this.#isOver) attempt.end(performance.now());
    else this.#try(attempt, error);
  }

  /** All of the time for the first try, the remaining time for a later one. */
  #timeLeft(after: unknown): number | undefined {
    const { timeout } = this.#groupOptions;
    if (timeout === undefined || after === undefined) return timeout;
    return Math.max(1, timeout - (performance.now() - this.#start));
  }

  /** A further try after the last one failed, if one makes sense. */
  async #nextAttempt(): Promise<Attempt | undefined> {
    const { timeout } = this.#groupOptions;
    const failed = this.#failed;
    const last = failed.at(-1);
    if (!last || last.blame === 'request' || isTotalTimeout(last.error) || !this.#mayRetry(failed.length)) return;
    // The request may have made the engine fail. A request that was spared once does not run on a third engine.
    if (isSuspect(last.error) || failed.filter(({ error }) => failedPart(error)).length > 1) return;
    // Before its V1 engine, vLLM reported only the bare reason to the request that ended its engine.
    if (this.#groupOptions.isGuided && last.blame === 'unclear' && last.error instanceof StreamError) return;
    const next = this.#host.choose(this.#groupOptions, failed);
    if (!next) return;
    const pause = this.#host.pauseBefore(failed, next);
    if (timeout !== undefined && performance.now() - this.#start + pause >= timeout) return;
    if (!this.#host.takeRetry() || !(await this.#pause(pause))) return;
    const attempt = this.#host.enter(next);
    if (attempt) last.state.retried++;
    return attempt;
  }

  /** Whether it may be retried after this many tries. */
  #mayRetry(tries: number): boolean {
    const { signal, isOnlyOnce } = this.#groupOptions;
    return !isOnlyOnce && !signal?.aborted && !this.#isOver && tries <= this.#host.options().retries;
  }

  /** Waits. Returns whether the client still waits for the response then. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#groupOptions;
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
    return !this.#isOver && !signal?.aborted;
  }
}

function isTotalTimeout(error: unknown): boolean {
  return error instanceof StatusError && error.code === 'DEADLINE_EXCEEDED' && !(error instanceof ResponseTimeoutError);
}
