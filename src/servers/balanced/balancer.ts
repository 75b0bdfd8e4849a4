import { setTimeout as sleep } from 'node:timers/promises';
import { markSuspect } from '../../kserve/engine-failure.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { GroupOptions, ServerGroup } from '../../kserve/server-group.ts';
import { StatusError } from '../../kserve/status.ts';
import { anySignal } from '../../signal.ts';
import { Attempt } from './attempt.ts';
import type { BalanceOptions } from './balance-options.ts';
import { BalancedStream, type FailedTry, type StreamHost } from './balanced-stream.ts';
import { ejectOutlier } from './ejection.ts';
import { EngineWatch, engineError } from './engine-watch.ts';
import { Picker } from './picker.ts';
import { RetryBudget } from './retry-budget.ts';
import { ServerState } from './server-state.ts';
import { type ServerSnapshot, snapshotOf } from './snapshot.ts';
import { Ticker } from './ticker.ts';

/** Milliseconds before a retry on another server, and before the first one on the same. */
const pauseElsewhere = 20;
const pauseHere = 100;

interface ServerQuery {
  readonly model: string;
  readonly servers: readonly InferenceServer[];
  readonly groupOptions: GroupOptions;
}

/** Chooses the server of every inference of this process, by the load and the recent outcomes of the servers. */
export class Balancer {
  readonly #options: () => BalanceOptions;
  readonly #random: () => number;
  readonly #states = new Map<InferenceServer, ServerState>();
  /** Servers that will be closed. */
  readonly #removed = new WeakSet<InferenceServer>();
  readonly #picker: Picker;
  readonly #budget = new RetryBudget();
  readonly #ticker = new Ticker();
  /** Which engines have failed. */
  readonly engines: EngineWatch;
  #retries = 0;

  constructor(options: () => BalanceOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
    this.#picker = new Picker(options, random);
    this.engines = new EngineWatch({
      ticker: this.#ticker,
      stateOf: (server) => (this.#removed.has(server) ? undefined : this.#stateOf(server)),
      states: () => this.#states.values(),
      checkInterval: () => options().engineCheckInterval,
    });
  }

  /** The servers that have a model, as one. */
  groupOf(model: string, servers: readonly InferenceServer[]): ServerGroup {
    const host = this.#hostOf(model, servers);
    return {
      servers,
      stream: (begin, sink, groupOptions) => {
        this.#budget.request(performance.now());
        return new BalancedStream(host, { begin, sink, groupOptions }).start();
      },
      again: async (signal) => {
        if (signal.aborted || !this.#takeRetry()) return false;
        const pause = this.#present(servers).length > 1 ? this.#pauseElsewhere() : this.#pauseHere(1);
        await sleep(pause, undefined, { signal: anySignal(signal) }).catch(() => undefined);
        return !signal.aborted;
      },
    };
  }

  /** The outcome of a health check: the server responded, or failed with this error. */
  reportHealth(server: InferenceServer, error: Error | undefined): void {
    if (this.#removed.has(server)) return;
    const now = performance.now();
    const isNew = !this.#states.has(server);
    const state = this.#stateOf(server);
    if (error) {
      if (state.reach.stateAt(now) !== 'open') state.reach.open(now);
      if (isNoResponse(error)) for (const waiting of state.waiting) waiting.onServerLost(stoppedResponding(error));
      return;
    }
    const wasAway = state.reach.stateAt(now) !== 'closed';
    state.reach.close();
    if (isNew || wasAway) state.startSlowly(now);
    if (wasAway) this.#picker.forget(state);
  }

  /** Stops sending requests to a server. Resolves once its last inference ended, and forgets the server. */
  async untilIdle(server: InferenceServer): Promise<void> {
    this.#removed.add(server);
    const state = this.#states.get(server);
    if (!state) return;
    await state.untilIdle();
    this.#states.delete(server);
    this.#picker.forget(state);
  }

  /** The current state of each server. */
  snapshot(): { readonly servers: readonly ServerSnapshot[]; readonly retries: number } {
    const now = performance.now();
    return { servers: [...this.#states.values()].map((state) => snapshotOf(state, now)), retries: this.#retries };
  }

  #hostOf(model: string, servers: readonly InferenceServer[]): StreamHost {
    return {
      ticker: this.#ticker,
      engines: this.engines,
      options: this.#options,
      choose: (groupOptions, failed) => this.#choose({ model, servers, groupOptions }, failed),
      enter: (state) => (this.#removed.has(state.server) ? undefined : new Attempt(state, model, performance.now())),
      hasOther: (than, failed) => {
        const now = performance.now();
        const isOther = (state: ServerState): boolean =>
          state !== than && failed.every((tried) => tried.state !== state);
        return this.#present(servers).some((state) => isOther(state) && state.isOpenTo(model, now));
      },
      takeRetry: () => this.#takeRetry(),
      pauseBefore: (failed, next) => this.#pauseBefore(failed, next),
      failed: (attempt, error, groupOptions) => {
        const now = performance.now();
        const blame = attempt.fail(error, now, groupOptions.statusOf);
        this.engines.requestFailed(attempt.state, model, error, groupOptions);
        if (blame === 'server' || blame === 'unclear') this.#judge(attempt.state, servers, now);
        return blame;
      },
    };
  }

  #choose(query: ServerQuery, failed: readonly FailedTry[]): ServerState | undefined {
    const now = performance.now();
    const { model } = query;
    const present = this.#present(query.servers);
    const all = present.filter((state) => !state.hasFailed(model));
    const { shared, prefix } = query.groupOptions;
    const same = shared?.server && present.find(({ server }) => server === shared.server);
    if (same && failed.length === 0) return this.#shared(same, model);
    const failure = present[0]?.engines.get(model)?.failure;
    if (all.length === 0 && failed.length === 0 && failure) throw engineError(failure);
    if (all.length === 0 && failed.length === 0)
      throw new StatusError('UNAVAILABLE', 'All servers of this model were removed. Try again later.', {
        unreachable: true,
      });
    const untried = failed.length === 0 ? all : all.filter((state) => failed.every((tried) => tried.state !== state));
    const fresh = untried.filter(({ server }) => !query.groupOptions.avoid?.has(server));
    const isOpen = (state: ServerState): boolean => state.isOpenTo(model, now);
    const [first, ...others] = fresh.some(isOpen) ? fresh.filter(isOpen) : untried.filter(isOpen);
    if (!first) return this.#lastResort({ all, untried }, model, failed);
    const chosen = this.#picker.pick([first, ...others], { model, prefix }, now);
    if (shared) shared.server = chosen.server;
    return chosen;
  }

  /** The server of inferences that belong together. If its engine failed with the first one, it gets no other. */
  #shared(state: ServerState, model: string): ServerState {
    const failure = state.engines.get(model)?.failure;
    if (!failure) return state;
    const error = engineError(failure);
    markSuspect(error);
    throw error;
  }

  /** The servers that will not be closed. */
  #present(servers: readonly InferenceServer[]): ServerState[] {
    return servers.filter((server) => !this.#removed.has(server)).map((server) => this.#stateOf(server));
  }

  /** If no server is known to work: the one whose next try is due first, or the only server once more. */
  #lastResort(
    { all, untried }: { readonly all: readonly ServerState[]; readonly untried: readonly ServerState[] },
    model: string,
    failed: readonly FailedTry[],
  ): ServerState | undefined {
    const last = failed.at(-1);
    // The error of another server is more useful than a timeout of one that is known to fail.
    if (last && last.blame !== 'server') return undefined;
    const [soonest] = untried.toSorted((a, b) => a.dueAt(model) - b.dueAt(model));
    if (soonest) return soonest;
    return all.length === 1 && last && isUnreachable(last.error) ? last.state : undefined;
  }

  #takeRetry(): boolean {
    if (!this.#budget.take(performance.now(), this.#options().retryBudget / 100)) return false;
    this.#retries++;
    return true;
  }

  #pauseBefore(failed: readonly FailedTry[], next: ServerState): number {
    const isSame = failed.some(({ state }) => state === next);
    return isSame ? this.#pauseHere(failed.length) : this.#pauseElsewhere();
  }

  #pauseHere(tries: number): number {
    return pauseHere * 2 ** tries * (0.5 + this.#random() / 2);
  }

  #pauseElsewhere(): number {
    return pauseElsewhere * this.#random();
  }

  #judge(state: ServerState, servers: readonly InferenceServer[], now: number): void {
    ejectOutlier(state, this.#present(servers), { now, time: this.#options().ejectionTime });
  }

  #stateOf(server: InferenceServer): ServerState {
    const known = this.#states.get(server);
    if (known) return known;
    const state = new ServerState(server, this.#options, this.#random);
    this.#states.set(server, state);
    return state;
  }
}

/** Whether a failed health check got no response at all. */
function isNoResponse(error: Error): boolean {
  return error instanceof StatusError && (error.unreachable || error.code === 'DEADLINE_EXCEEDED');
}

function stoppedResponding(cause: Error): StatusError {
  return new StatusError('UNAVAILABLE', 'The server stopped responding.', { unreachable: true, cause });
}

function isUnreachable(error: unknown): boolean {
  return error instanceof StatusError && error.unreachable;
}
