import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inRoot } from '../support/environment.ts';
import { agents } from './clients/all.ts';

const run = promisify(execFile);

/** The folder with the clients of test/agents/package-lock.json: 1.3 GB, installed on demand into the tests' cache. */
export async function pinnedAgents(): Promise<string> {
  const other = process.env['CONCH_TEST_AGENTS'];
  if (other !== undefined) return other;
  const lock = readFileSync(inRoot('test/agents/package-lock.json'));
  const folder = join(cacheFolder(), `agents-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(join(folder, '.complete'))) return folder;
  const temporary = await mkdtemp(join(cacheFolder(), '.making-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(inRoot(`test/agents/${file}`), join(temporary, file));
    await npm(temporary, 'ci');
    await writeFile(join(temporary, '.complete'), '');
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
    return folder;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The folder with the newest version of each client. */
export async function newestAgents(): Promise<string> {
  const folder = join(cacheFolder(), 'agents-newest');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(folder, 'install', '--no-save', ...agents.map((agent) => `${agent.package}@latest`));
  return folder;
}

/** The installed version of each client, by its name. */
export function versionsIn(installation: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    agents.map((agent) => {
      const file = join(installation, 'node_modules', agent.package, 'package.json');
      return [agent.name, (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version];
    }),
  );
}

async function npm(folder: string, ...words: readonly string[]): Promise<void> {
  await run('npm', [...words, '--no-fund', '--no-audit', '--loglevel=error'], { cwd: folder, maxBuffer: 2 ** 26 });
}

function cacheFolder(): string {
  const cache = process.env['CONCH_TEST_CACHE'];
  if (cache === undefined) throw new Error('CONCH_TEST_CACHE is not set: run the tests with npm run soak');
  return cache;
}
