import { pythonJson } from '../support/python.ts';

/** A family of metrics as Prometheus's own parser reads it. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly (readonly [string, Readonly<Record<string, string>>, string])[];
}

/** The metrics of a Conch, read by Prometheus's own parser. */
export async function scrape(url: string, form: 'prometheus' | 'openmetrics' = 'prometheus'): Promise<Family[]> {
  const accept = form === 'openmetrics' ? 'application/openmetrics-text;version=1.0.0' : 'text/plain;version=0.0.4';
  const response = await fetch(`${url}/metrics`, { headers: { accept } });
  const input = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${input}`);
  return (await pythonJson('test/telemetry/parse_metrics.py', [form], { input })) as Family[];
}

/** The values of a metric by their labels, as one line each. */
export function valuesOf(families: readonly Family[], name: string): Record<string, number> {
  const rows = families.flatMap(({ samples }) => samples).filter(([sample]) => sample === name);
  return Object.fromEntries(
    rows.map(([, labels, value]) => [
      Object.entries(labels)
        .map(([label, text]) => `${label}=${text}`)
        .toSorted()
        .join(' '),
      Number(value),
    ]),
  );
}
