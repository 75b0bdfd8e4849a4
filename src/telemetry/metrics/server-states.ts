import type { MetricJson, Sample } from './instruments.ts';
import { readings } from './metrics.ts';

/** How a server stands, as whoever shares requests among the servers sees it. */
export interface ServerState {
  readonly name: string;
  /** The circuit breaker of its connection: `closed` while it can be reached. */
  readonly connection: string;
  /** Milliseconds for which it is left out for failing more than others; 0: it is not. */
  readonly ejectedFor: number;
  /** The share of requests that it takes: below 1 in its slow start. */
  readonly weight: number;
  /** The circuit breakers of its models. */
  readonly models: ReadonlyMap<string, string>;
  /** The models whose engine has failed there, and how often each engine has. */
  readonly failedEngines: ReadonlyMap<string, unknown>;
  readonly engineFailures: ReadonlyMap<string, number>;
}

/** The worst comes last. */
const breakerStates = ['closed', 'half-open', 'open'];

/** The states of the servers as metrics. */
export function serverStates(states: readonly ServerState[]): MetricJson[] {
  const ofServers = (valueOf: (state: ServerState) => number): Sample[] =>
    states.map((state) => ({ labels: { server: state.name }, value: valueOf(state) }));
  const ofModels = (valuesOf: (state: ServerState) => Iterable<readonly [string, number]>): Sample[] =>
    states.flatMap((state) =>
      [...valuesOf(state)].map(([model, value]) => ({ labels: { server: state.name, model }, value })),
    );
  const breakers = states.flatMap(({ name, models }) =>
    [...models].map(([model, state]) => ({ labels: { server: name, model, state }, value: 1 })),
  );
  return [
    readings.serverAvailable.json(
      ofServers(({ connection, ejectedFor }) => (connection === 'open' || ejectedFor > 0 ? 0 : 1)),
    ),
    readings.serverWeight.json(ofServers(({ weight }) => weight)),
    readings.engineDown.json(
      ofModels(({ failedEngines, engineFailures }) => [
        ...[...engineFailures.keys()].filter((model) => !failedEngines.has(model)).map((model) => [model, 0] as const),
        ...[...failedEngines.keys()].map((model) => [model, 1] as const),
      ]),
    ),
    readings.engineFailures.json(ofModels(({ engineFailures }) => engineFailures)),
    readings.serverBreaker.json(breakers),
  ];
}

/** Metrics of several processes in which each circuit breaker has one state: the worst that one of them sees. */
export function withWorstBreakers(parts: readonly (readonly MetricJson[])[]): readonly (readonly MetricJson[])[] {
  const worst = new Map<string, Sample>();
  const badness = (sample: Sample | undefined): number => breakerStates.indexOf(String(sample?.labels['state']));
  const all = parts.flat().filter(({ name }) => name === readings.serverBreaker.name);
  for (const sample of all.flatMap(({ values }) => values)) {
    const key = JSON.stringify([sample.labels['server'], sample.labels['model']]);
    if (badness(sample) > badness(worst.get(key))) worst.set(key, sample);
  }
  const merged = all.slice(0, 1).map((metric) => ({ ...metric, values: [...worst.values()] }));
  return [...parts.map((part) => part.filter(({ name }) => name !== readings.serverBreaker.name)), merged];
}
