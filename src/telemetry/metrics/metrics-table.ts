import { Metrics, readings } from './metrics.ts';

const processRow = [
  '`nodejs_…`, `process_…`',
  '',
  'Event loop (`nodejs_eventloop_lag_p99_seconds`), heap, garbage collection, CPU time, memory, open files.',
];

/** The table of metrics in docs/observability.md. */
export function metricsTable(): string {
  const { json: _, ...families } = new Metrics();
  const rows = [...Object.values(families), ...Object.values(readings)].map(({ name, labels, help }) => [
    `\`${name}\``,
    labels.join(', '),
    help,
  ]);
  const lines = [['Metric', 'Labels', 'Meaning'], ['---', '---', '---'], ...rows, processRow];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
