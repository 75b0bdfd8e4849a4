/** One value of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of Conch's own metrics in the Prometheus text format, without those of Triton and Node. */
export function* ownSamples(text: string): Generator<Sample, void, undefined> {
  for (const line of text.split('\n')) {
    if (!line.startsWith('conch_')) continue;
    const { name = '', labels = '', value = '' } = sampleLine.exec(line)?.groups ?? {};
    if (name !== '') yield { name, labels: labelsOf(labels), value: Number(value) };
  }
}

const sampleLine = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const label = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const { groups } of text.matchAll(label))
    labels[groups?.['name'] ?? ''] = (groups?.['value'] ?? '').replaceAll(/\\(.)/g, (_, mark: string) =>
      mark === 'n' ? '\n' : mark,
    );
  return labels;
}
