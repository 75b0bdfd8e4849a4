import { table } from '../../table.ts';
import { kindLines } from '../error-kinds.ts';
import type { Lengths } from '../lengths.ts';
import type { Summary } from '../statistics.ts';
import { percentText, rounded } from './figures.ts';
import {
  type LevelReport,
  type LoadDescription,
  type ProcessCost,
  paceText,
  type Report,
  type RequestMetric,
  requestMetrics,
  type ThroughputMetric,
  throughputMetrics,
} from './report.ts';
import { warningsOf } from './warnings.ts';

/** The statistics of the tables, in the order of genai-perf's, and the median. */
export const statistics = ['avg', 'min', 'max', 'p99', 'p90', 'p75', 'p50'] as const satisfies (keyof Summary)[];

/** The report as text: the load, a table per level, and warnings. */
export function reportText(report: Report): string {
  const { failure, notes } = report;
  const warnings = [...notes, ...report.levels.flatMap(warningsOf)].map((warning) => `Warning: ${warning}`);
  return [
    loadText(report.load),
    ...report.levels.map(levelText),
    ...(warnings.length > 0 ? [warnings.join('\n')] : []),
    ...(failure ? [`Stopped at ${paceText(failure.pace)}. ${failure.reason}`] : []),
    ...(report.interrupted ? ['Interrupted: these are the results up to then.'] : []),
  ].join('\n\n');
}

/** The description of the load, in a few lines. */
export function loadText(load: LoadDescription): string {
  const way = load.endpoint === 'embeddings' ? '' : load.streaming ? ', streamed' : ', not streamed';
  const extra = Object.entries(load.extra).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const output = load.output_tokens === undefined ? '' : `, output ${lengthsText(load.output_tokens)}`;
  const input = load.input_tokens === 'of a file' ? 'from a file' : `of ${lengthsText(load.input_tokens)}`;
  return [
    `${load.model} at ${load.url}: ${load.endpoint}${way}`,
    `Load: ${load.requests === undefined ? `${load.duration_s} s` : `${load.requests} requests`} per level, ${load.warmup ?? 'one per connection (at least 10)'} to warm up; ${load.prompts} prompts ${input}${output}; seed ${load.seed}`,
    ...(extra.length > 0 ? [`Extra fields: ${extra.join(', ')}`] : []),
    `Input tokens counted by ${load.input_counted_by}`,
    ...(load.output_counted_by === undefined ? [] : [`Output tokens counted by ${load.output_counted_by}`]),
  ].join('\n');
}

function lengthsText({ mean, deviation }: Lengths): string {
  return deviation === 0 ? `${mean} tokens` : `${mean} ± ${deviation} tokens`;
}

function levelText(level: LevelReport): string {
  const { generator, errors, processes } = level;
  const lateness = generator.lateness_ms === undefined ? '' : `, at most ${rounded(generator.lateness_ms)} ms late`;
  const errorLines = kindLines(errors);
  return [
    `${paceText(level.pace)}: ${level.request_count} responses in ${rounded(level.duration_s)} s${level.failed_count > 0 ? `, ${level.failed_count} failed` : ''}${level.cut_count > 0 ? `, ${level.cut_count} cut off at the end` : ''}${level.resent_count > 0 ? `, ${level.resent_count} resent on a new connection` : ''}`,
    metricTable(level),
    ...(processes.length > 0 ? [processTable(processes)] : []),
    `Load generator: ${generator.processes} process${generator.processes === 1 ? '' : 'es'}, ${percentText(generator.cpu_share)} of a core, ${rounded(generator.cpu_us_per_request)} µs of CPU per request, event loop ${rounded(generator.loop_delay_p99_ms)} ms late at p99${lateness}`,
    ...(errorLines.length > 0 ? [`Errors:\n${errorLines.join('\n')}`] : []),
  ].join('\n');
}

function metricTable({ metrics, throughput }: LevelReport): string {
  const rows = (Object.keys(requestMetrics) as RequestMetric[]).flatMap((name) => {
    const summary = metrics[name];
    const { title, unit } = requestMetrics[name];
    return summary ? [[`${title} (${unit})`, ...statistics.map((statistic) => rounded(summary[statistic]))]] : [];
  });
  const totals = (Object.keys(throughputMetrics) as ThroughputMetric[]).flatMap((name) => {
    const value = throughput[name];
    const { title, unit } = throughputMetrics[name];
    return value === undefined ? [] : [[`${title} (${unit})`, rounded(value), ...statistics.slice(1).map(() => 'N/A')]];
  });
  return table(['Statistic', ...statistics], [...rows, ...totals], { holdsFigures: true });
}

function processTable(processes: readonly ProcessCost[]): string {
  return table(
    ['Process', 'CPU µs/token', 'CPU µs/request', 'CPU', 'RSS MB', 'peak RSS MB'],
    processes.map((cost) => [
      `${cost.name} (${cost.pid})`,
      cost.cpu_us_per_token === undefined ? 'N/A' : rounded(cost.cpu_us_per_token),
      rounded(cost.cpu_us_per_request),
      percentText(cost.cpu_share),
      rounded(cost.rss_mb),
      rounded(cost.rss_peak_mb),
    ]),
    { holdsFigures: true },
  );
}
