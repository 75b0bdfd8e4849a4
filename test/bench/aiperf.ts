import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from '../support/python-environment.ts';

const run = promisify(execFile);

/** The statistics of one metric in aiperf's own report. */
export interface AiperfMetric {
  readonly avg: number;
  readonly min?: number;
  readonly max?: number;
  readonly p99?: number;
  readonly p90?: number;
  readonly p75?: number;
  readonly p50?: number;
}

export type AiperfReport = Readonly<Record<string, AiperfMetric>>;

/** Runs `aiperf profile` with these flags, unchanged, and reads what it writes into the folder. */
export async function aiperf(folder: string, flags: readonly string[]): Promise<AiperfReport> {
  // 1.2 GB.
  const python = join(await pythonEnvironment('aiperf', 'scripts/aiperf-requirements.txt'), 'python');
  const options = ['-m', 'aiperf', 'profile', ...flags, '--ui', 'none', '--artifact-dir', folder];
  await run(python, options, { cwd: folder, maxBuffer: 2 ** 26 });
  return JSON.parse(readFileSync(join(folder, 'profile_export_aiperf.json'), 'utf8')) as AiperfReport;
}
