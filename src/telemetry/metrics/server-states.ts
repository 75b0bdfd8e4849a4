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
    readGauge({ name: breakerMetric, help: "1 for the state of a model's circuit breaker." }, breakers),
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
