import type { ListEntry } from '../../active-list.ts';
import { failedPart, markSuspect, unloadsModel } from '../../kserve/engine-failure.ts';
import type { EngineFailure, EngineListener, EngineLocation, Engines } from '../../kserve/engines.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { GroupOptions } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import type { EngineState, EngineStream } from './engine-state.ts';
import type { ServerState } from './server-state.ts';
import type { Ticker, TickListener } from './ticker.ts';

interface WatchOptions {
  readonly ticker: Ticker;
  /** Undefined for a server that will be closed. */
  readonly stateOf: (server: InferenceServer) => ServerState | undefined;
  readonly states: () => Iterable<ServerState>;
  /** The longest time between two probes of a silent engine, in milliseconds; 0: no probes. */
  readonly checkInterval: () => number;
}

/**
 * Which engines have failed. Triton still reports a model as ready after its engine process ended, so only the outcomes
 * of requests and probes count. A failed engine gets no requests until it is healed.
 */
export class EngineWatch implements Engines, TickListener {
  readonly #options: WatchOptions;
  readonly #listeners: EngineListener[] = [];
  #streams = 0;
  #ticking: ListEntry<TickListener> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  listen(listener: EngineListener): void {
    this.#listeners.push(listener);
  }

  failureOf({ server, model }: EngineLocation): EngineFailure | undefined {
    return this.#options.stateOf(server)?.engines.get(model)?.failure;
  }

  failed(): ReturnType<Engines['failed']> {
    return [...this.#options.states()].flatMap(({ server, engines }) =>
      [...engines].flatMap(([model, { failure }]) => (failure ? [{ location: { server, model }, failure }] : [])),
    );
  }

  /** An inference starts on an engine. */
  enter(engine: EngineState, stream: EngineStream): ListEntry<EngineStream> {
    if (engine.streams.size === 0) engine.noteActivity(performance.now());
    if (this.#streams++ === 0) this.#ticking = this.#options.ticker.add(this);
    return engine.streams.add(stream);
  }

  leave(state: ServerState, model: string, entry: ListEntry<EngineStream>): void {
    if (!state.engines.get(model)?.streams.remove(entry)) return;
    state.forgetEngine(model);
    if (--this.#streams === 0 && this.#ticking) this.#options.ticker.remove(this.#ticking);
  }

  /**
   * A request failed on an engine. If the engine itself failed, the request may be the reason: Conch does not retry it,
   * unless it is unguided and another request failed there before it.
   */
  requestFailed(
    state: ServerState,
    model: string,
    error: unknown,
    { isGuided = false, requestId }: Pick<GroupOptions, 'isGuided' | 'requestId'>,
  ): void {
    const part = failedPart(error);
    if (!part || !(error instanceof StatusError)) return;
    const known = state.engines.get(model)?.failure;
    if (isGuided || known?.by !== 'request') markSuspect(error);
    this.#note(state, model, { part, message: error.message, by: 'request', requestId, at: Date.now() }, true);
  }

  fail({ server, model }: EngineLocation, failure: EngineFailure, isOwn: boolean): void {
    const state = this.#options.stateOf(server);
    if (state) this.#note(state, model, failure, isOwn);
  }

  heal(location: EngineLocation): void {
    const { server, model } = location;
    const state = this.#options.stateOf(server);
    const engine = state?.engines.get(model);
    if (!state || !engine?.failure) return;
    engine.failure = undefined;
    state.models.get(model)?.close();
    state.forgetEngine(model);
    for (const listener of this.#listeners) listener.onHealed?.(location);
  }

  tick(now: number): void {
    const most = this.#options.checkInterval();
    if (most === 0) return;
    for (const { server, engines } of this.#options.states())
      for (const [model, engine] of engines)
        if (engine.isProbeDue(now, most))
          for (const listener of this.#listeners) listener.onSilent?.({ server, model });
  }

  /** The first report of a failure counts. A later one only adds that the backend unloads the model. */
  #note(state: ServerState, model: string, failure: EngineFailure, isOwn: boolean): void {
    const engine = state.engineOf(model);
    const known = engine.failure;
    if (known && (unloadsModel(known.message) || !unloadsModel(failure.message))) return;
    engine.failure = known ? { ...known, message: failure.message } : failure;
    if (isOwn && !known) engine.failures++;
    const location = { server: state.server, model };
    for (const listener of this.#listeners) listener.onFailed?.(location, engine.failure, isOwn);
    for (const stream of engine.streams) stream.abandon(engineError(failure));
  }
}

/** The error of a request that a failed engine cannot complete. */
export function engineError({ message }: EngineFailure): StatusError {
  return new StatusError('UNAVAILABLE', message);
}
