import { type MetricJson, readGauge, type Sample } from './instruments.ts';

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

const breakerMetric = 'conch_server_breaker';

/** The worst comes last. */
const breakerStates = ['closed', 'half-open', 'open'];

/** The states of the servers as metrics. */
export function serverStates(states: readonly ServerState[]): MetricJson[] {
  const breakers = states.flatMap(({ name, models }) =>
    [...models].map(([model, state]) => ({ labels: { server: name, model, state }, value: 1 })),
  );
  return [
    readGauge(
      {
        name: 'conch_server_available',
        help: 'Whether requests go to a server: it can be reached and is not left out.',
        aggregator: 'min',
      },
      states.map(({ name, connection, ejectedFor }) => ({
        labels: { server: name },
        value: connection === 'open' || ejectedFor > 0 ? 0 : 1,
      })),
    ),
    readGauge(
      {
        name: 'conch_server_weight',
        help: 'The share of requests that a server takes; below 1 in its slow start.',
        aggregator: 'min',
      },
      states.map(({ name, weight }) => ({ labels: { server: name }, value: weight })),
    ),
    ...engineStates(states),
    readGauge({ name: breakerMetric, help: "1 for the state of a model's circuit breaker." }, breakers),
  ];
}

/** Engines that have failed, now or before. */
function engineStates(states: readonly ServerState[]): MetricJson[] {
  const samples = (values: (state: ServerState) => Iterable<readonly [string, number]>): Sample[] =>
    states.flatMap((state) =>
      [...values(state)].map(([model, value]) => ({ labels: { server: state.name, model }, value })),
    );
  return [
    readGauge(
      {
        name: 'conch_engine_down',
        help: 'Whether the engine of a model has failed on a server; 0 once it works again.',
      },
      samples(({ failedEngines, engineFailures }) => [
        ...[...engineFailures.keys()].filter((model) => !failedEngines.has(model)).map((model) => [model, 0] as const),
        ...[...failedEngines.keys()].map((model) => [model, 1] as const),
      ]),
    ),
    {
      name: 'conch_engine_failures_total',
      help: 'How often the engine of a model was found failed on a server.',
      type: 'counter',
      aggregator: 'sum',
      values: samples(({ engineFailures }) => engineFailures),
    },
  ];
}

/** Metrics of several processes in which each circuit breaker has one state: the worst that one of them sees. */
export function withWorstBreakers(parts: readonly (readonly MetricJson[])[]): readonly (readonly MetricJson[])[] {
  const worst = new Map<string, Sample>();
  const badness = (sample: Sample | undefined): number => breakerStates.indexOf(String(sample?.labels['state']));
  const all = parts.flat().filter(({ name }) => name === breakerMetric);
  for (const sample of all.flatMap(({ values }) => values)) {
    const key = JSON.stringify([sample.labels['server'], sample.labels['model']]);
    if (badness(sample) > badness(worst.get(key))) worst.set(key, sample);
  }
  const merged = all.slice(0, 1).map((metric) => ({ ...metric, values: [...worst.values()] }));
  return [...parts.map((part) => part.filter(({ name }) => name !== breakerMetric)), merged];
}
