import type { Reading } from './instruments.ts';
import { Metrics, readings } from './metrics.ts';

const processRow = [
  '`nodejs_…`, `process_…`',
  '',
  'Event loop (`nodejs_eventloop_lag_p99_seconds`), heap, garbage collection, CPU time, memory, open files.',
];

/** The table of metrics in docs/observability.md. */
export function metricsTable(): string {
  const families = Object.values(new Metrics()) as unknown as readonly Reading[];
  const rows = [...families, ...Object.values(readings)].map(({ name, labels, help }) => [
    `\`${name}\``,
    labels.join(', '),
    help,
  ]);
  const lines = [['Metric', 'Labels', 'Meaning'], ...rows, processRow];
  const widths = [0, 1, 2].map((at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  const written = lines.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [...written.slice(0, 1), rule, ...written.slice(1)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
