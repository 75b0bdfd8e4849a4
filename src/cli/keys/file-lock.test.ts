import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-lock-'));
const file = join(folder, 'numbers');

beforeEach(() => writeFileSync(file, ''));
afterAll(() => rmSync(folder, { recursive: true }));

/** The file after six changes at the same time, each of which adds a digit: the digits in order. */
async function changedBySix(): Promise<string> {
  const add = (digit: number) =>
    withLock(file, async () => {
      const old = await readFile(file, 'utf8');
      await new Promise((resolve) => setImmediate(resolve));
      await writeFile(file, `${old}${digit}`);
    });
  await Promise.all(Array.from({ length: 6 }, (_, at) => add(at)));
  return Array.from(await readFile(file, 'utf8'))
    .toSorted()
    .join('');
}

describe('a lock on a file', () => {
  it('keeps what others change at the same time', async () => {
    expect(await changedBySix()).toBe('012345');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is let go of when the work fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(file, async () => 'fine')).toBe('fine');
  });

  it('is not waited for where its owner was killed, and only one of many takes it', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(`${file}.lock`, `${pid} ${hostname()}`);
    expect(await changedBySix()).toBe('012345');
    expect(existsSync(`${file}.lock`)).toBe(false);
    expect(existsSync(`${file}.lock.abandoned`)).toBe(false);
  });

  it.each([
    ['whose owner runs, however old it is', `${process.pid} ${hostname()}`],
    ['of another machine', '1 elsewhere'],
    ['without an owner', ''],
  ])('%s stays', async (_, owner) => {
    writeFileSync(`${file}.lock`, owner);
    utimesSync(`${file}.lock`, 0, 0);
    await expect(withLock(file, async () => '', { longestWait: 40 })).rejects.toMatchObject({
      problems: [`${file} is locked by another process. If there is none, delete ${file}.lock and try again.`],
    });
    expect(await readFile(`${file}.lock`, 'utf8')).toBe(owner);
    rmSync(`${file}.lock`);
  });

  it('is not to be had in a folder that is not there', async () => {
    await expect(withLock(join(folder, 'none', 'a'), async () => '')).rejects.toMatchObject({
      problems: [`Cannot write ${join(folder, 'none', 'a')}: ENOENT.`],
    });
  });
});
