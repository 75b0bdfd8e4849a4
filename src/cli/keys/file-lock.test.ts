import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-lock-'));
const file = join(folder, 'numbers');

beforeEach(() => writeFileSync(file, ''));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a lock on a file', () => {
  it('keeps what others change at the same time', async () => {
    const add = (digit: number) =>
      withLock(file, async () => {
        const old = await readFile(file, 'utf8');
        await new Promise((resolve) => setImmediate(resolve));
        await writeFile(file, `${old}${digit}`);
      });
    await Promise.all(Array.from({ length: 6 }, (_, at) => add(at)));
    expect(
      Array.from(await readFile(file, 'utf8'))
        .toSorted()
        .join(''),
    ).toBe('012345');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is let go of when the work fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(file, async () => 'fine')).toBe('fine');
  });

  it('is not waited for where its owner was killed long ago', async () => {
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, 0, 0);
    expect(await withLock(file, async () => 'fine')).toBe('fine');
  });

  it('is not to be had in a folder that is not there', async () => {
    await expect(withLock(join(folder, 'none', 'a'), async () => '')).rejects.toMatchObject({
      problems: [`Cannot write ${join(folder, 'none', 'a')}: ENOENT.`],
    });
  });
});
