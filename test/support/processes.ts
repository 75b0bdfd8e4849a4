import { readdirSync, readFileSync } from 'node:fs';

const pollMilliseconds = 20;

/** The ids of the processes whose program and arguments fit. */
export function processes(fits: (words: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && fits(commandLine(name)))
    .map(Number);
}

/** The processes that a process has started, and those that they have. */
export function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Resolves when no process fits any more; rejects when some still do after the time. */
export async function untilClosed(fits: (words: readonly string[]) => boolean, milliseconds = 60_000): Promise<void> {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    if (processes(fits).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
  throw new Error(`Still running: ${processes(fits).join(', ')}`);
}

/** The program and the arguments of a process; nothing of one that has ended. */
export function commandLine(pid: string | number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
