import { Counter as PromCounter, Histogram as PromHistogram } from 'prom-client';
import { bench, describe } from 'vitest';
import { Counter, Histogram } from '../../src/telemetry/metrics/instruments.ts';

// For docs/decisions/metric-instruments.md: npx vitest bench --run --project unit test/telemetry

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];
const times = 10_000;

function repeated(action: () => void): () => void {
  return () => {
    for (let at = 0; at < times; at++) action();
  };
}

describe(`a counter with five labels, ${times} times`, () => {
  const labels = ['route', 'model', 'status', 'code', 'key'] as const;
  const own = new Counter({ name: 'a', help: 'a', labels });
  const other = new PromCounter({ name: 'a', help: 'a', labelNames: labels });
  bench(
    'own',
    repeated(() => own.at('/v1/chat/completions', 'llama', '200', '', 'k1').add()),
  );
  bench(
    'prom-client',
    repeated(() => other.inc({ route: '/v1/chat/completions', model: 'llama', status: '200', code: '', key: 'k1' })),
  );
});

describe(`a histogram of tokens whose labels were looked up before, ${times} times`, () => {
  const own = new Histogram({ name: 'b', help: 'b', labels: ['model', 'server'], bounds }).at('llama', 'a:1');
  const other = new PromHistogram({ name: 'b', help: 'b', labelNames: ['model', 'server'], buckets: bounds }).labels(
    'llama',
    'a:1',
  );
  bench(
    'own',
    repeated(() => own.observe(0.012)),
  );
  bench(
    'prom-client',
    repeated(() => other.observe(0.012)),
  );
});
