import { type FileHandle, open, readFile, realpath, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '../../config/settings-error.ts';

/** Milliseconds between two checks of a lock. */
const pause = 20;

/** Runs some work while it holds the lock of a file; other callers wait. The lock of a killed process is deleted. */
export async function withLock<Result>(
  file: string,
  work: () => Promise<Result>,
  { longestWait = 5_000 } = {},
): Promise<Result> {
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  for (let waited = 0; !(await taken(lock, file)); waited += pause) {
    if (waited >= longestWait)
      throw new SettingsError([
        `${file} is locked by another process. If there is none, delete ${lock} and try again.`,
      ]);
    await deleteAbandoned(lock, file);
    await sleep(pause);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Tries to create a lock file with the name of this process in it. */
async function taken(lock: string, file: string): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(lock, 'wx', 0o600);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new SettingsError([`Cannot write ${file}: ${code}.`]);
  }
  try {
    await handle.writeFile(`${process.pid} ${hostname()}`);
  } finally {
    await handle.close();
  }
  return true;
}

/**
 * Deletes the lock of a process that no longer runs. A second lock lets only one process do so at a time: otherwise
 * the slower one would delete the lock that the faster one has just taken.
 */
async function deleteAbandoned(lock: string, file: string): Promise<void> {
  const second = `${lock}.abandoned`;
  if (!(await isAbandoned(lock)) || !(await taken(second, file))) return;
  try {
    if (await isAbandoned(lock)) await rm(lock, { force: true });
  } finally {
    await rm(second, { force: true });
  }
}

/** Whether a lock names a process of this machine that no longer runs. */
async function isAbandoned(lock: string): Promise<boolean> {
  const [pid = '', host] = (await readFile(lock, 'utf8').catch(() => '')).split(' ');
  return host === hostname() && !runs(Number(pid));
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
