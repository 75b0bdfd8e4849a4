import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCrashes, recordCrash } from './crashes.ts';

it('records servers that crashed, and not those that a test ended', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-crashes-'));
  const file = join(folder, 'again.json');
  try {
    expect(readCrashes(file)).toEqual([]);
    const before = Date.now();
    expect([recordCrash(file, 'SIGKILL'), recordCrash(file, null)]).toEqual([false, false]);
    expect([recordCrash(file, 'SIGSEGV'), recordCrash(file, 'SIGABRT')]).toEqual([true, true]);
    const crashes = readCrashes(file);
    expect(crashes.map(({ began, ended }) => [began >= before, ended === began])).toEqual([
      [true, true],
      [true, true],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
