import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inRoot, pythonProgram } from './environment.ts';

const run = promisify(execFile);

/**
 * The folder of programs of a virtual environment with the packages of a file in scripts/: made on demand in the tests'
 * cache, in a temporary folder so that nothing is left half-done.
 */
export async function pythonEnvironment(name: string, requirements: string): Promise<string> {
  const cache = process.env['CONCH_TEST_CACHE'];
  if (cache === undefined) throw new Error('CONCH_TEST_CACHE is not set: run the tests with npm run soak');
  const file = inRoot(requirements);
  const key = createHash('sha256')
    .update(`${pythonProgram()}\n${readFileSync(file, 'utf8')}`)
    .digest('hex');
  const folder = join(cache, `${name}-${key.slice(0, 12)}`);
  const programs = join(folder, 'bin');
  if (existsSync(join(folder, '.complete'))) return programs;
  const temporary = await mkdtemp(join(cache, '.making-'));
  try {
    await run(pythonProgram(), ['-m', 'venv', temporary]);
    const pip = ['-m', 'pip', 'install', '--no-deps', '--no-input', '--only-binary=:all:', '--progress-bar=off'];
    await run(join(temporary, 'bin', 'python'), [...pip, '-q', '-r', file], { maxBuffer: 2 ** 26 });
    await writeFile(join(temporary, '.complete'), '');
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
    return programs;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
