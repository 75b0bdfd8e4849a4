import { table } from '../../table.ts';
import type { Summary } from '../statistics.ts';
import { rounded } from './figures.ts';
import {
  type LevelReport,
  paceText,
  type Report,
  type RequestMetric,
  requestMetrics,
  type ThroughputMetric,
  throughputMetrics,
} from './report.ts';

/** Which value is better: less time and cost, more throughput. Lengths are neither. */
type Direction = 'less' | 'more' | 'neither';

interface Row {
  readonly title: string;
  readonly direction: Direction;
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** Two reports with their names. */
export interface ReportPair {
  readonly a: { readonly name: string; readonly report: Report };
  readonly b: { readonly name: string; readonly report: Report };
}

/** The common levels of two reports side by side, and what cannot be compared. */
export function compareText({ a, b }: ReportPair): string {
  const differences = differencesOf(comparable(a.report), comparable(b.report));
  const sections = a.report.levels.flatMap((level) => {
    const other = b.report.levels.find(({ pace }) => paceText(pace) === paceText(level.pace));
    return other ? [levelTable(level, other)] : [];
  });
  return [
    `A: ${a.name} (${a.report.date})\nB: ${b.name} (${b.report.date})`,
    ...(differences.length > 0
      ? [`These settings differ, which may affect the results:\n${differences.join('\n')}`]
      : []),
    ...sections,
    ...onlyIn('A', a.report, b.report),
    ...onlyIn('B', b.report, a.report),
  ].join('\n\n');
}

/** Whether there is anything to compare. */
export function haveLevelsInCommon({ a, b }: ReportPair): boolean {
  const known = new Set(b.report.levels.map(({ pace }) => paceText(pace)));
  return a.report.levels.some(({ pace }) => known.has(paceText(pace)));
}

/** Comparing addresses and models is the purpose. */
const mayDiffer = new Set(['url', 'model']);

type Properties = Readonly<Record<string, unknown>>;

/** The load, and what else may affect the results. */
function comparable({ load, machine, version, interrupted, failure }: Report): Properties {
  return { ...load, machine, 'conch bench': version, interrupted, failure: failure?.reason };
}

function differencesOf(left: Properties, right: Properties): string[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((name) => !mayDiffer.has(name));
  return names
    .filter((name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]))
    .map((name) => `  ${name}: ${written(left[name])} and ${written(right[name])}`);
}

function written(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function levelTable(a: LevelReport, b: LevelReport): string {
  const rows = rowsOf(a, b).map((row) => [
    row.title,
    displayText(row.a),
    displayText(row.b),
    changeText(row),
    betterText(row),
  ]);
  return `${paceText(a.pace)}\n${table(['', 'A', 'B', 'change', 'better'], rows, { holdsFigures: true })}`;
}

function rowsOf(a: LevelReport, b: LevelReport): Row[] {
  const ofRequests = (Object.keys(requestMetrics) as RequestMetric[]).flatMap((name) => {
    const { title, unit } = requestMetrics[name];
    const direction = unit === 'ms' ? 'less' : 'neither';
    const kinds: (keyof Summary)[] = unit === 'ms' ? ['avg', 'p50', 'p99'] : ['avg'];
    return kinds.map((kind) => ({
      title: `${title} ${kind} (${unit})`,
      direction,
      a: a.metrics[name]?.[kind],
      b: b.metrics[name]?.[kind],
    }));
  });
  const totals = (Object.keys(throughputMetrics) as ThroughputMetric[]).map((name) => ({
    title: `${throughputMetrics[name].title} (${throughputMetrics[name].unit})`,
    direction: 'more',
    a: a.throughput[name],
    b: b.throughput[name],
  }));
  const failures = { title: 'Failed requests', direction: 'less', a: a.failed_count, b: b.failed_count };
  return ([...ofRequests, ...totals, failures, ...processRows(a, b)] as Row[]).filter(
    (row) => row.a !== undefined || row.b !== undefined,
  );
}

function processRows(a: LevelReport, b: LevelReport): Row[] {
  const names = [...new Set([...a.processes, ...b.processes].map(({ name }) => name))];
  return names.flatMap((name) => {
    const [left, right] = [a, b].map(({ processes }) => processes.find((each) => each.name === name));
    const row = (title: string, key: 'cpu_us_per_token' | 'cpu_us_per_request' | 'rss_peak_mb'): Row => ({
      title: `${name}: ${title}`,
      direction: 'less',
      a: left?.[key],
      b: right?.[key],
    });
    return [
      row('CPU per token (µs)', 'cpu_us_per_token'),
      row('CPU per request (µs)', 'cpu_us_per_request'),
      row('peak RSS (MB)', 'rss_peak_mb'),
    ];
  });
}

function displayText(value: number | undefined): string {
  return value === undefined ? 'N/A' : rounded(value);
}

function changeText({ a, b }: Row): string {
  if (a === undefined || b === undefined) return 'N/A';
  if (a === b) return '0.0 %';
  if (a === 0) return 'from 0';
  const change = ((b - a) / a) * 100;
  return `${change < 0 ? '' : '+'}${change.toFixed(1)} %`;
}

function betterText({ a, b, direction }: Row): string {
  if (a === undefined || b === undefined || direction === 'neither') return '';
  if (rounded(a) === rounded(b)) return 'same';
  return a < b === (direction === 'less') ? 'A' : 'B';
}

function onlyIn(name: string, report: Report, other: Report): string[] {
  const known = new Set(other.levels.map(({ pace }) => paceText(pace)));
  const missing = report.levels.map(({ pace }) => paceText(pace)).filter((pace) => !known.has(pace));
  return missing.length === 0 ? [] : [`Only in ${name}: ${missing.join(', ')}`];
}
