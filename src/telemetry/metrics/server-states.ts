import { type MetricJson, readGauge } from './instruments.ts';

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
      },
      states.map(({ name, connection, ejectedFor }) => ({
        labels: { server: name },
        value: connection === 'open' || ejectedFor > 0 ? 0 : 1,
      })),
    ),
    readGauge(
      { name: 'conch_server_weight', help: 'The share of requests that a server takes; below 1 in its slow start.' },
      states.map(({ name, weight }) => ({ labels: { server: name }, value: weight })),
    ),
    readGauge({ name: 'conch_server_breaker', help: "1 for the state of a model's circuit breaker." }, breakers),
  ];
}
