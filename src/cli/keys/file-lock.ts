import { open, realpath, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '../../config/settings-error.ts';

/** Milliseconds between two looks at a lock, how long it is waited for, and after which it was left behind. */
const pause = 20;
const longestWait = 5_000;
const stale = 30_000;

/** Does something with a file that nobody else does anything with meanwhile, as long as they ask here too. */
export async function withLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  for (let waited = 0; !(await taken(lock, file)); waited += pause) {
    if (waited >= longestWait)
      throw new SettingsError([
        `${file} is being changed by another process. If there is none, remove ${lock} and try again.`,
      ]);
    await sleep(pause);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Whether the lock is ours now. One that was left behind is taken away. */
async function taken(lock: string, file: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new SettingsError([`${file} cannot be written: ${code}.`]);
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > stale) await rm(lock, { force: true });
    return false;
  }
}
