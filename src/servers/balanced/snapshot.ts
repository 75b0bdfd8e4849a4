import type { EngineFailure } from '../../kserve/engines.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { BreakerState } from './breaker.ts';
import type { LastFailure, ServerState } from './server-state.ts';

/** The state of a server at one moment; durations in milliseconds. */
export interface ServerSnapshot {
  readonly server: InferenceServer;
  readonly running: number;
  readonly requests: number;
  readonly failures: number;
  readonly retried: number;
  /** The share of the last half minute's inferences that failed. */
  readonly failureRate: number;
  /** `open` while it is unreachable. */
  readonly connection: BreakerState;
  /** How long it is still ejected for failing more than others; 0: it is not. */
  readonly ejectedFor: number;
  /** The share of requests that it takes: below 1 in its slow start. */
  readonly weight: number;
  /** To the first response, smoothed; undefined before there was one. */
  readonly firstResponse: number | undefined;
  readonly lastFailure: LastFailure | undefined;
  readonly models: ReadonlyMap<string, BreakerState>;
  /** The failed engines by model, and how often each failed so far. */
  readonly failedEngines: ReadonlyMap<string, EngineFailure>;
  readonly engineFailures: ReadonlyMap<string, number>;
}

export function snapshotOf(state: ServerState, now: number): ServerSnapshot {
  const engines = [...state.engines];
  return {
    server: state.server,
    running: state.running,
    requests: state.requests,
    failures: state.failures,
    retried: state.retried,
    failureRate: state.outcomes.totals(now).failureRate,
    connection: state.reach.stateAt(now),
    ejectedFor: Math.max(0, state.ejectedUntil - now),
    weight: state.weightAt(now),
    firstResponse: state.firstResponse,
    lastFailure: state.lastFailure,
    models: new Map([...state.models].map(([model, breaker]) => [model, breaker.stateAt(now)])),
    failedEngines: new Map(engines.flatMap(([model, { failure }]) => (failure ? [[model, failure] as const] : []))),
    engineFailures: new Map(
      engines.flatMap(([model, { failures }]) => (failures > 0 ? [[model, failures] as const] : [])),
    ),
  };
}
