import { readFileSync } from 'node:fs';

/** Samples of a process's resident memory, in MB by the second. */
export interface Samples {
  readonly stop: () => readonly Sample[];
}

export interface Sample {
  readonly at: number;
  readonly megabytes: number;
}

/** Samples the memory of a process until it is stopped. */
export function sampleMemory(pid: number, intervalMilliseconds = 1000): Samples {
  const samples: Sample[] = [];
  const start = performance.now();
  const sample = (): void => {
    samples.push({ at: (performance.now() - start) / 1000, megabytes: residentMegabytes(pid) });
  };
  sample();
  const timer = setInterval(sample, intervalMilliseconds);
  return {
    stop: () => {
      clearInterval(timer);
      return samples;
    },
  };
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
}

export function peakOf(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ megabytes }) => megabytes));
}

/** The line through the samples by least squares: its slope in MB per second, and the slope's standard error. */
export function trendOf(samples: readonly Sample[]): { mean: number; slope: number; error: number } {
  const count = samples.length;
  const meanAt = samples.reduce((sum, { at }) => sum + at, 0) / count;
  const mean = samples.reduce((sum, { megabytes }) => sum + megabytes, 0) / count;
  const spread = samples.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const slope = samples.reduce((sum, { at, megabytes }) => sum + (at - meanAt) * (megabytes - mean), 0) / spread;
  const left = samples.reduce((sum, { at, megabytes }) => sum + (megabytes - mean - slope * (at - meanAt)) ** 2, 0);
  return { mean, slope, error: Math.sqrt(left / Math.max(1, count - 2) / spread) };
}
