import { readdirSync, readFileSync } from 'node:fs';

/** A process whose cost is measured. */
export interface WatchedProcess {
  readonly name: string;
  readonly pid: number;
}

/** What a process has used so far. */
export interface ProcessUsage {
  /** Of all its threads, user and system. */
  readonly cpuMicroseconds: number;
  readonly residentMegabytes: number;
}

const tickMicroseconds = 10_000;

/** Whether this system tells what another process uses. */
export function canWatch(): boolean {
  return read('/proc/self/stat') !== undefined;
}

/** What a process has used so far; undefined where there is none of this number. */
export function usageOf(pid: number): ProcessUsage | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const status = read(`/proc/${pid}/status`);
  if (stat === undefined || status === undefined) return undefined;
  return {
    // The threads' own clocks are finer, but forget threads that have ended.
    cpuMicroseconds: Math.max(statTime(stat), threadTime(pid)),
    residentMegabytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024,
  };
}

/** The name stands in brackets and may hold anything, so the columns are counted from behind it. */
function statTime(stat: string): number {
  const columns = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(columns[11]) + Number(columns[12])) * tickMicroseconds;
}

function threadTime(pid: number): number {
  let nanoseconds = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0);
  } catch {
    return 0;
  }
  return nanoseconds / 1000;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
