import type { MetricJson, Sample } from './instruments.ts';
import { readings } from './metrics.ts';

/** The state of a server, as the load balancer sees it. */
export interface ServerState {
  readonly name: string;
  /** The circuit breaker of its connection: `closed` while it is reachable. */
  readonly connection: string;
  /** Remaining milliseconds of its ejection; 0 if it is not ejected. */
  readonly ejectedFor: number;
  /** Its share of requests: below 1 during slow start. */
  readonly weight: number;
  /** The circuit breakers of its models. */
  readonly models: ReadonlyMap<string, string>;
  /** The models whose engine has failed there, with the number of failures. */
  readonly failedEngines: ReadonlyMap<string, unknown>;
  readonly engineFailures: ReadonlyMap<string, number>;
}

/** From best to worst. */
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

/** Merges circuit breaker states of several processes: the worst state wins. */
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
