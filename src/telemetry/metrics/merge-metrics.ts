import type { Aggregator, MetricJson, Sample } from './instruments.ts';

const aggregators: Readonly<Record<Exclude<Aggregator, 'omit'>, (values: readonly number[]) => number>> = {
  sum: sumOf,
  average: (values) => sumOf(values) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  first: ([value = 0]) => value,
};

/** Merges the metrics of several processes, without those that make sense only for one process. */
export function mergeMetrics(lists: readonly (readonly MetricJson[])[]): MetricJson[] {
  const families = new Map<string, { readonly metric: MetricJson; readonly samples: Map<string, Sample[]> }>();
  for (const metric of lists.flat()) {
    const family = families.get(metric.name) ?? { metric, samples: new Map<string, Sample[]>() };
    families.set(metric.name, family);
    for (const sample of metric.values) {
      const key = JSON.stringify([sample.metricName, sample.labels]);
      const alike = family.samples.get(key);
      if (alike) alike.push(sample);
      else family.samples.set(key, [sample]);
    }
  }
  return [...families.values()].flatMap(({ metric, samples }) => {
    if (metric.aggregator === 'omit') return [];
    const aggregate = aggregators[metric.aggregator];
    const values = [...samples.values()].map((alike) => ({
      ...(alike[0] as Sample),
      value: aggregate(alike.map(({ value }) => value)),
    }));
    return [{ ...metric, values }];
  });
}

/** Merges the counters and histograms of several lists, without gauges. */
export function sumOfCounts(lists: readonly (readonly MetricJson[])[]): MetricJson[] {
  return mergeMetrics(lists.map((list) => list.filter(({ type }) => type === 'counter' || type === 'histogram')));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
