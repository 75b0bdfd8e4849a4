import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { LiveSettings } from './live-settings.ts';
import { openKeys } from './open-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-keys-'));
const file = join(folder, 'keys.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

/** The warnings of a start with a key file and more flags. */
async function warningsOf(content: string, ...flags: string[]): Promise<string[]> {
  writeFileSync(file, content);
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) });
  const settings = loadSettings({ argv: ['--api-key-file', file, ...flags], environment: {}, readFile: () => '' });
  const keys = await openKeys(new LiveSettings(settings), { signal: AbortSignal.abort(), logger });
  expect(keys.isLocked).toBe(true);
  return warnings;
}

it('warns of a key file without keys, unless there are other keys', async () => {
  const noKeys = `${file} has no keys, so Conch rejects all requests. Add one: conch keys create NAME`;
  expect(await warningsOf('keys: []\n')).toEqual([noKeys]);
  expect(await warningsOf('keys: []\n', '--api-key', 'one-of-your-own')).toEqual([]);
  expect(await warningsOf(`keys: [{name: a, hash: 'sha256:${'0'.repeat(64)}'}]\n`)).toEqual([]);
});
