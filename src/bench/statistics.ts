/** Statistics of a list of values. */
export interface Summary {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly p99: number;
  readonly p90: number;
  readonly p75: number;
  readonly p50: number;
  readonly std: number;
}

/** The statistics of the values; undefined without values. `std` is the population deviation, as in numpy. */
export function summarize(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const avg = sum(sorted) / sorted.length;
  return {
    avg,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    p99: percentile(sorted, 99),
    p90: percentile(sorted, 90),
    p75: percentile(sorted, 75),
    p50: percentile(sorted, 50),
    std: Math.sqrt(sum(sorted.map((value) => (value - avg) ** 2)) / sorted.length),
  };
}

/** A percentile of sorted values, interpolated linearly, as in numpy. */
export function percentile(sorted: readonly number[], percent: number): number {
  const position = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const steps = 100;

/** The distribution of the values: each percentile from 0 to 100. */
export function distribution(values: readonly number[]): (readonly [percent: number, value: number])[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted((a, b) => a - b);
  return Array.from({ length: steps + 1 }, (_, percent) => [percent, percentile(sorted, percent)] as const);
}
