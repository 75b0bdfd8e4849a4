import { escapeText } from '../../escape-text.ts';
import { type Chart, drawChart, type Series } from '../../plot/chart.ts';
import type { LevelReport, Report, RequestMetric } from './report.ts';
import { paceText, requestMetrics } from './report.ts';
import { reportText } from './text.ts';

/** The report as one self-contained HTML page, light or dark. */
export function reportHtml(report: Report): string {
  const title = `${report.load.model} at ${report.load.url}`;
  const plots = chartsOf(report).map((chart) => `<figure>${drawChart(chart)}</figure>`);
  const data = JSON.stringify(report).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; color: #24292f; background: #ffffff; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #d0d7de; border-radius: 6px; font-size: 13px; }
figure { margin: 1.5rem 0; }
svg { width: 100%; height: auto; }
footer { color: #57606a; }
@media (prefers-color-scheme: dark) {
body { color: #e6edf3; background: #0d1117; }
pre { border-color: #30363d; }
footer { color: #8b949e; }
}
</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
<pre>${escapeText(reportText(report))}</pre>
${plots.join('\n')}
<footer>Measured by conch bench ${escapeText(report.version)} on ${escapeText(report.date)}; ${escapeText(report.machine.platform)}, ${report.machine.cpus} CPUs, Node ${escapeText(report.machine.node)}.</footer>
<script type="application/json" id="report">${data}</script>
</body>
</html>
`;
}

const spread: readonly RequestMetric[] = ['time_to_first_token', 'inter_token_latency', 'request_latency'];

function chartsOf({ levels }: Report): Chart[] {
  return [
    ...spread.flatMap((metric) => distributionChart(levels, metric)),
    ...timeChart(levels),
    ...levelCharts(levels),
  ];
}

function distributionChart(levels: readonly LevelReport[], metric: RequestMetric): Chart[] {
  const series = levels.flatMap(({ pace, distributions }): Series[] => {
    const points = distributions[metric];
    return points ? [{ name: paceText(pace), points: points.map(([percent, value]) => [value, percent]) }] : [];
  });
  if (series.length === 0) return [];
  const { title, unit } = requestMetrics[metric];
  return [
    {
      title: `${title}: cumulative distribution`,
      x: { label: `${title} (${unit})`, scale: 'log' },
      y: { label: '% of requests', scale: 'linear' },
      kind: 'steps',
      series,
    },
  ];
}

function timeChart(levels: readonly LevelReport[]): Chart[] {
  const series = levels
    .filter(({ timeline }) => timeline.length > 1)
    .map(({ pace, timeline }) => ({ name: paceText(pace), points: timeline }));
  if (series.length === 0) return [];
  return [
    {
      title: 'Output tokens per second over time',
      x: { label: 'seconds', scale: 'linear' },
      y: { label: 'tokens/s', scale: 'linear' },
      kind: 'line',
      series,
    },
  ];
}

/** Latency and throughput by load, if there is more than one level. */
function levelCharts(measured: readonly LevelReport[]): Chart[] {
  const levels = measured.toSorted((a, b) => loadOf(a) - loadOf(b));
  const [first] = levels;
  if (first === undefined || levels.length < 2) return [];
  const x = {
    label: first.pace.kind === 'rate' ? 'requests per second' : 'concurrent requests',
    scale: 'log',
  } as const;
  const latencies = spread.flatMap((metric) =>
    (['p50', 'p99'] as const).flatMap((kind): Series[] => {
      const points = levels.flatMap((level) => {
        const value = level.metrics[metric]?.[kind];
        return value === undefined ? [] : [[loadOf(level), value] as const];
      });
      return points.length > 0 ? [{ name: `${requestMetrics[metric].title} ${kind}`, points }] : [];
    }),
  );
  const generates = levels.some((level) => level.throughput.output_token_throughput !== undefined);
  const throughput = levels.flatMap((level) => {
    const value = level.throughput[generates ? 'output_token_throughput' : 'request_throughput'];
    return value === undefined ? [] : [[loadOf(level), value] as const];
  });
  return [
    {
      title: 'Latency by load',
      x,
      y: { label: 'ms', scale: 'log' },
      kind: 'line',
      series: latencies,
    },
    {
      title: `${generates ? 'Output tokens' : 'Requests'} per second by load`,
      x,
      y: { label: generates ? 'tokens/s' : 'requests/s', scale: 'linear' },
      kind: 'line',
      series: [{ name: 'throughput', points: throughput }],
    },
  ];
}

function loadOf({ pace }: LevelReport): number {
  return pace.kind === 'rate' ? pace.perSecond : pace.concurrency;
}
