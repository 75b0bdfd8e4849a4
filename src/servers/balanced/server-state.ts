import { ActiveList } from '../../active-list.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { StatusError } from '../../kserve/status.ts';
import type { BalanceOptions } from './balance-options.ts';
import { Breaker } from './breaker.ts';
import { EngineState } from './engine-state.ts';
import { OutcomeWindow } from './outcome-window.ts';

/** The share of the newest figure in a smoothed one. */
const smoothing = 0.2;

/** The smallest share of its full load that a server takes in its slow start. */
const leastWeight = 0.1;

/** The last failure of a server. */
export interface LastFailure {
  readonly error: unknown;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An inference that waits for its first response and can move to another server. */
export interface PendingInference {
  onServerLost(error: StatusError): void;
}

/** The state of a server, learned from its responses. */
export class ServerState {
  readonly server: InferenceServer;
  readonly #options: () => BalanceOptions;
  readonly #random: () => number;
  readonly #models = new Map<string, Breaker>();
  readonly #engines = new Map<string, EngineState>();
  readonly outcomes = new OutcomeWindow();
  /** Open while the server is unreachable. */
  readonly reach: Breaker;
  readonly waiting = new ActiveList<PendingInference>();
  running = 0;
  requests = 0;
  failures = 0;
  /** Inferences that failed here and were retried. */
  retried = 0;
  ejections = 0;
  ejectedUntil = 0;
  lastFailure: LastFailure | undefined;
  /** Milliseconds to the first response, smoothed; undefined before there was one. */
  firstResponse: number | undefined;
  #slowSince = Number.NEGATIVE_INFINITY;
  #whenIdle: (() => void)[] = [];

  constructor(server: InferenceServer, options: () => BalanceOptions, random: () => number) {
    this.server = server;
    this.#options = options;
    this.#random = random;
    // One failed connection is enough to know.
    this.reach = new Breaker(() => ({ failures: 1, backoff: options().breakerBackoff, random }));
  }

  /** The breakers of the models that have failed here. */
  get models(): ReadonlyMap<string, Breaker> {
    return this.#models;
  }

  /** The engines of the models that run inferences here, or have failed. */
  get engines(): ReadonlyMap<string, EngineState> {
    return this.#engines;
  }

  engineOf(model: string): EngineState {
    const known = this.#engines.get(model);
    if (known) return known;
    const engine = new EngineState();
    this.#engines.set(model, engine);
    return engine;
  }

  /** Forgets an engine without any state: clients may name models that do not exist. */
  forgetEngine(model: string): void {
    if (this.#engines.get(model)?.isForgettable) this.#engines.delete(model);
  }

  /** Whether the engine of a model has failed here, so that it gets no requests. */
  hasFailed(model: string): boolean {
    return this.#engines.get(model)?.failure !== undefined;
  }

  breakerOf(model: string): Breaker {
    const known = this.#models.get(model);
    if (known) return known;
    const breaker = new Breaker(() => {
      const { breakerFailures: failures, breakerBackoff: backoff } = this.#options();
      return { failures, backoff, random: this.#random };
    });
    this.#models.set(model, breaker);
    return breaker;
  }

  /** Whether it can take a request for a model: not ejected, no failed engine, no open breaker. */
  isOpenTo(model: string, now: number): boolean {
    if (now < this.ejectedUntil || this.hasFailed(model)) return false;
    return this.reach.allows(now) && (this.#models.get(model)?.allows(now) ?? true);
  }

  /** When the next try is due. */
  dueAt(model: string): number {
    return Math.max(this.ejectedUntil, this.reach.dueAt, this.#models.get(model)?.dueAt ?? 0);
  }

  /** It is new or has recovered: its share grows from now on. */
  startSlowly(now: number): void {
    this.#slowSince = now;
  }

  /** The share of its full load that it should take, from 0.1 to 1. */
  weightAt(now: number): number {
    const { slowStart } = this.#options();
    const age = now - this.#slowSince;
    return age >= slowStart ? 1 : Math.max(leastWeight, age / slowStart);
  }

  /** The load with one more request, relative to what the server can take now. */
  loadAt(now: number): number {
    return (this.running + 1) / this.weightAt(now);
  }

  noteFirstResponse(milliseconds: number): void {
    const before = this.firstResponse;
    this.firstResponse = before === undefined ? milliseconds : before + (milliseconds - before) * smoothing;
  }

  enter(): void {
    this.running++;
    this.requests++;
  }

  leave(): void {
    if (--this.running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no inference runs. */
  untilIdle(): Promise<void> {
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
