import { code, codeList, fromPlainText, listItem } from '../../markdown.ts';
import type { ComputedMetric } from './instruments.ts';
import { Metrics, readings } from './metrics.ts';

const processItem =
  '`nodejs_…`, `process_…`: ' +
  'Event loop (`nodejs_eventloop_lag_p99_seconds`), heap, garbage collection, CPU time, memory, open files.';

/** The list of metrics in docs/observability.md. */
export function metricsList(): string {
  const families = Object.values(new Metrics()) as unknown as readonly ComputedMetric[];
  const items = [...families, ...Object.values(readings)].map(({ name, labels, help }) => {
    const title = labels.length === 0 ? code(name) : `${code(name)} (${codeList(labels)})`;
    return `${title}: ${fromPlainText(help)}`;
  });
  return [...items, processItem].map((item) => listItem(item)).join('\n');
}
