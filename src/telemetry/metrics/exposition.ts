import type { MetricJson, Sample } from './instruments.ts';

/** The two text formats of metrics. */
export type Exposition = 'prometheus' | 'openmetrics';

/** The content types of the formats. */
export const expositionTypes: Readonly<Record<Exposition, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The format that an Accept header prefers; the Prometheus text format if there is no preference. */
export function expositionFor(accept: string | undefined): Exposition {
  const qualities = { prometheus: 0, openmetrics: 0 };
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim());
    const quality = Number(parameters.find((word) => word.startsWith('q='))?.slice(2) ?? 1);
    const isOldest = parameters.includes('version=0.0.1');
    if (type === 'application/openmetrics-text' && !isOldest)
      qualities.openmetrics = Math.max(qualities.openmetrics, quality);
    else if (type === 'text/plain' || type === '*/*' || type === 'text/*')
      qualities.prometheus = Math.max(qualities.prometheus, quality);
  }
  return qualities.openmetrics > qualities.prometheus ? 'openmetrics' : 'prometheus';
}

/** Metrics as text, without `# EOF` of OpenMetrics. */
export function expositionText(metrics: readonly MetricJson[], exposition: Exposition): string {
  return metrics
    .filter(({ values }) => values.length > 0)
    .map((metric) => metricText(metric, exposition))
    .join('');
}

function metricText({ name, help, type, values }: MetricJson, exposition: Exposition): string {
  const isOpen = exposition === 'openmetrics';
  const hasTotal = name.endsWith('_total');
  // OpenMetrics reserves the suffix _total for counters. Their family name has no suffix.
  const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name;
  const said = isOpen && type !== 'counter' && hasTotal ? 'unknown' : type;
  const lines = values.map((sample) =>
    sampleLine(isOpen && type === 'counter' ? `${family}_total` : name, sample, isOpen),
  );
  return `# HELP ${family} ${escapedHelp(help, isOpen)}\n# TYPE ${family} ${said}\n${lines.join('')}`;
}

function sampleLine(name: string, { metricName = name, labels, value }: Sample, isOpen: boolean): string {
  const pairs = Object.entries(labels).map(([label, text]) => {
    const written = isOpen && label === 'le' ? floatText(String(text)) : String(text);
    return `${label}="${escapedLabel(written)}"`;
  });
  return `${metricName}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${valueText(value)}\n`;
}

/** OpenMetrics requires histogram bounds as floats. */
function floatText(text: string): string {
  return /^\d+$/.test(text) ? `${text}.0` : text;
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

function escapedHelp(text: string, isOpen: boolean): string {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return isOpen ? plain.replaceAll('"', '\\"') : plain;
}

/** An escaped label value, without quotes. */
export function escapedLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
