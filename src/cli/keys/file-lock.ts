import { open, realpath, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '../../config/settings-error.ts';

/** Milliseconds between two checks of a lock, of the longest wait for it, and after which it is stale. */
const pause = 20;
const longestWait = 5_000;
const stale = 30_000;

/** Runs some work while it holds the lock of a file; other callers wait. */
export async function withLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  for (let waited = 0; !(await taken(lock, file)); waited += pause) {
    if (waited >= longestWait)
      throw new SettingsError([
        `${file} is locked by another process. If there is none, delete ${lock} and try again.`,
      ]);
    await sleep(pause);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Tries to take the lock. A stale lock is deleted. */
async function taken(lock: string, file: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new SettingsError([`Cannot write ${file}: ${code}.`]);
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > stale) await rm(lock, { force: true });
    return false;
  }
}
