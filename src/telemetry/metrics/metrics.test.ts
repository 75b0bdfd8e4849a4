import { expect, it } from 'vitest';
import { Metrics, readings } from './metrics.ts';
import { metricsList } from './metrics-list.ts';

const all = [...new Metrics().json(), ...Object.values(readings).map((reading) => reading.json([]))];

it('names each metric once, as Prometheus wants it', () => {
  const wrong = all.filter(
    ({ name, type }) =>
      !/^conch_[a-z]+(_[a-z]+)*$/.test(name) ||
      (type === 'counter') !== name.endsWith('_total') ||
      (type === 'histogram') !== /_(?:seconds|ratio)$/.test(name),
  );
  expect([wrong, new Set(all.map(({ name }) => name)).size]).toEqual([[], all.length]);
});

it('has an item for each metric in the list of the docs, in lines of at most 120 columns', () => {
  const items = metricsList().split(/\n(?=- )/);
  expect(items.slice(0, -1).map((item) => /^- `(\w+)`/.exec(item)?.[1])).toEqual(all.map(({ name }) => name));
  expect(items).toContain(
    "- `conch_server_breaker` (`server`, `model`, `state`): 1 for the state of a model's circuit breaker.",
  );
  expect(items.flatMap((item) => item.split('\n')).filter((line) => line.length > 120)).toEqual([]);
});
