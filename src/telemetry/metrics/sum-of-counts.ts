import type { MetricJson, Sample } from './instruments.ts';

/** What several lists of metrics have counted, together; what goes up and down is left out. */
export function sumOfCounts(lists: readonly (readonly MetricJson[])[]): readonly MetricJson[] {
  const families = new Map<string, { readonly metric: MetricJson; readonly samples: Map<string, Sample> }>();
  for (const metric of lists.flat()) {
    if (metric.type !== 'counter' && metric.type !== 'histogram') continue;
    const family = families.get(metric.name) ?? { metric, samples: new Map() };
    families.set(metric.name, family);
    for (const sample of metric.values) {
      const key = JSON.stringify([sample.metricName, sample.labels]);
      const before = family.samples.get(key)?.value ?? 0;
      family.samples.set(key, { ...sample, value: before + sample.value });
    }
  }
  return [...families.values()].map(({ metric, samples }) => ({ ...metric, values: [...samples.values()] }));
}
