import {
  type LevelReport,
  type Report,
  type RequestMetric,
  requestMetrics,
  type ThroughputMetric,
  throughputMetrics,
} from './report.ts';
import { statistics } from './text.ts';

const titles = ['concurrency', 'rate', 'metric', 'unit', ...statistics, 'std'];

/** One line per metric and level. Metrics with one value per level use the column avg. */
export function reportCsv(report: Report): string {
  return `${[titles, ...report.levels.flatMap(levelRows)].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}

type Cell = string | number | undefined;

function levelRows(level: LevelReport): Cell[][] {
  const { pace, metrics, throughput, generator, processes } = level;
  const levelCells = pace.kind === 'rate' ? [undefined, pace.perSecond] : [pace.concurrency, undefined];
  const single = (metric: string, unit: string, value: number | undefined): Cell[][] =>
    value === undefined ? [] : [[...levelCells, metric, unit, value]];
  return [
    ...(Object.keys(requestMetrics) as RequestMetric[]).flatMap((name) => {
      const summary = metrics[name];
      if (summary === undefined) return [];
      return [[...levelCells, name, requestMetrics[name].unit, ...statistics.map((key) => summary[key]), summary.std]];
    }),
    ...(Object.keys(throughputMetrics) as ThroughputMetric[]).flatMap((name) =>
      single(name, throughputMetrics[name].unit, throughput[name]),
    ),
    ...single('request_count', 'requests', level.request_count),
    ...single('failed_count', 'requests', level.failed_count),
    ...single('cut_count', 'requests', level.cut_count),
    ...single('resent_count', 'requests', level.resent_count),
    ...single('duration', 's', level.duration_s),
    ...single('generator_cpu_share', 'cores', generator.cpu_share),
    ...processes.flatMap((cost) => [
      ...single(`${cost.name}_cpu_per_token`, 'us', cost.cpu_us_per_token),
      ...single(`${cost.name}_cpu_per_request`, 'us', cost.cpu_us_per_request),
      ...single(`${cost.name}_rss`, 'MB', cost.rss_mb),
      ...single(`${cost.name}_rss_peak`, 'MB', cost.rss_peak_mb),
    ]),
  ].map((row) => Array.from(titles, (_, column) => row[column]));
}

function cell(value: Cell): string {
  const text = value === undefined ? '' : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
