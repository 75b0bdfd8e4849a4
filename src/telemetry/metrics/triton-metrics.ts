import { type Exposition, escapedLabel } from './exposition.ts';
import type { MetricJson } from './instruments.ts';
import { readings } from './metrics.ts';

/** The metrics endpoint of a Triton server. */
export interface TritonTarget {
  readonly server: string;
  readonly url: string;
}

/** The limits for the metrics of one server: bytes, and milliseconds. */
const mostBytes = 4 * 2 ** 20;
const longestWait = 2_000;

/** The metrics of all servers. */
export interface TritonMetrics {
  /** Whether each server responded. */
  readonly up: MetricJson;
  text(exposition: Exposition): string;
}

/** Reads the metrics of all servers at the same time. An unreachable one is left out and reported as down. */
export async function readTritonMetrics(targets: readonly TritonTarget[]): Promise<TritonMetrics> {
  const families = new Map<string, Family>();
  const results = await Promise.all(
    targets.map(async ({ server, url }) => ({ server, text: await textAt(url).catch(() => undefined) })),
  );
  for (const { server, text } of results) if (text !== undefined) collect(text, server, families);
  const values = results.map(({ server, text }) => ({ labels: { server }, value: text === undefined ? 0 : 1 }));
  return {
    up: readings.tritonMetricsUp.json(values),
    text: (exposition) => [...families.values()].map((family) => familyText(family, exposition)).join(''),
  };
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(longestWait), redirect: 'error' });
  if (!response.ok || !response.body) throw new Error(`The metrics endpoint returned HTTP ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('The metrics are too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Family {
  readonly name: string;
  help: string;
  type: string;
  /** Name, labels and value of each sample. */
  readonly samples: (readonly [string, string, string])[];
}

const comment = /^# (HELP|TYPE) ([A-Za-z_:][\w:]*) ?(.*)$/;
const labelPair = String.raw`[A-Za-z_]\w*="(?:[^"\\]|\\.)*"`;
const sample = new RegExp(
  String.raw`^([A-Za-z_:][\w:]*)(?:\{((?:${labelPair})?(?:,${labelPair})*),?\})? (-?[\d.]+(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)(?: -?\d+)?$`,
);
const types = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);

/** Adds the samples of one server to those of the others. Invalid lines are left out. */
function collect(text: string, server: string, families: Map<string, Family>): void {
  const own = new Map<string, Family>();
  const familyOf = (originalName: string): Family => {
    const name = ownName(originalName);
    const family = own.get(originalName) ?? families.get(name) ?? { name, help: '', type: 'untyped', samples: [] };
    own.set(originalName, family);
    families.set(name, family);
    return family;
  };
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = comment.exec(line) ?? [];
    if (kind === 'HELP') familyOf(name).help ||= rest;
    else if (kind === 'TYPE') familyOf(name).type = types.has(rest) ? rest : 'untyped';
    else {
      const [, originalName, labels = '', value] = sample.exec(line) ?? [];
      if (originalName === undefined || value === undefined) continue;
      const base =
        own.get(originalName) ?? own.get(originalName.replace(/_(bucket|sum|count)$/, '')) ?? familyOf(originalName);
      base.samples.push([ownName(originalName), relabelled(labels, server), value]);
    }
  }
}

/** Prefixes names that collide with those of Conch or of its process. */
function ownName(name: string): string {
  return /^(conch|process|nodejs|triton)_/.test(name) ? `triton_${name}` : name;
}

function relabelled(labels: string, server: string): string {
  const renamed = labels.replace(/(^|,)server="/, '$1exported_server="');
  return `server="${escapedLabel(server)}"${renamed === '' ? '' : `,${renamed}`}`;
}

function familyText({ name, help, type, samples }: Family, exposition: Exposition): string {
  if (samples.length === 0) return '';
  if (exposition === 'prometheus') {
    const lines = samples.map(([full, labels, value]) => `${full}{${labels}} ${value}\n`);
    return `${help === '' ? '' : `# HELP ${name} ${help}\n`}# TYPE ${name} ${type}\n${lines.join('')}`;
  }
  // Triton's counters have names that OpenMetrics does not allow for counters: their type is unknown there.
  const names = [...new Set(samples.map(([full]) => full))];
  return names
    .map((full) => {
      const lines = samples
        .filter(([each]) => each === full)
        .map(([, labels, value]) => `${full}{${labels}} ${value}\n`);
      return `# TYPE ${full} unknown\n${lines.join('')}`;
    })
    .join('');
}
