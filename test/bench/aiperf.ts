import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inRoot, pythonProgram } from '../support/environment.ts';

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
  const python = join(await environment(), 'bin', 'python');
  const options = ['-m', 'aiperf', 'profile', ...flags, '--ui', 'none', '--artifact-dir', folder];
  await run(python, options, { cwd: folder, maxBuffer: 2 ** 26 });
  return JSON.parse(readFileSync(join(folder, 'profile_export_aiperf.json'), 'utf8')) as AiperfReport;
}

/** Its virtual environment, 1.2 GB: made on demand in the tests' cache, in a temporary place so that nothing is left half-done. */
async function environment(): Promise<string> {
  const cache = process.env['CONCH_TEST_CACHE'];
  if (cache === undefined) throw new Error('CONCH_TEST_CACHE is not set: run the tests with npm run soak');
  const requirements = inRoot('scripts/aiperf-requirements.txt');
  const key = createHash('sha256')
    .update(`${pythonProgram()}\n${readFileSync(requirements, 'utf8')}`)
    .digest('hex');
  const folder = join(cache, `aiperf-${key.slice(0, 12)}`);
  if (existsSync(join(folder, '.complete'))) return folder;
  const temporary = await mkdtemp(join(cache, '.making-'));
  try {
    await run(pythonProgram(), ['-m', 'venv', temporary]);
    const pip = ['-m', 'pip', 'install', '--no-deps', '--no-input', '--only-binary=:all:', '--progress-bar=off'];
    await run(join(temporary, 'bin', 'python'), [...pip, '-q', '-r', requirements], { maxBuffer: 2 ** 26 });
    await writeFile(join(temporary, '.complete'), '');
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
    return folder;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
