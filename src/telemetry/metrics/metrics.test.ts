import { expect, it } from 'vitest';
import { Metrics, readings } from './metrics.ts';
import { metricsTable } from './metrics-table.ts';

const all = [...new Metrics().json(), ...Object.values(readings).map((reading) => reading.json([]))];

it('names each metric once, as Prometheus wants it', () => {
  const wrong = all.filter(
    ({ name, type }) =>
      !/^conch_[a-z]+(_[a-z]+)*$/.test(name) ||
      (type === 'counter') !== name.endsWith('_total') ||
      (type === 'histogram') !== name.endsWith('_seconds'),
  );
  expect([wrong, new Set(all.map(({ name }) => name)).size]).toEqual([[], all.length]);
});

it('has a row for each metric in the table of the docs', () => {
  const rows = metricsTable().split('\n');
  expect(rows.slice(2, -1)).toHaveLength(all.length);
  expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toContain(
    "| `conch_server_breaker` | server, model, state | 1 for the state of a model's circuit breaker. |",
  );
});
