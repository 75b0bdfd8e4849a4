import { readdirSync, readFileSync } from 'node:fs';

const pollMilliseconds = 20;

/** The ids of the processes whose program and arguments fit. */
export function processes(fits: (words: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && fits(commandLine(name)))
    .map(Number);
}

/** Resolves when no process fits any more; rejects when some still do after the time. */
export async function untilGone(fits: (words: readonly string[]) => boolean, milliseconds = 20_000): Promise<void> {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    if (processes(fits).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
  throw new Error(`Still running: ${processes(fits).join(', ')}`);
}

function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}
