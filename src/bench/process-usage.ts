import { readdirSync, readFileSync } from 'node:fs';
import { sum } from './statistics.ts';

/** A process whose cost is measured. */
export interface WatchedProcess {
  readonly name: string;
  readonly pid: number;
}

/** The resources that a process and its descendants have used so far. */
export interface ProcessUsage {
  /** Of all its threads, user and system. */
  readonly cpuMicroseconds: number;
  readonly residentMegabytes: number;
  /** The highest resident memory of each process so far, added up. */
  readonly peakMegabytes: number;
}

const tickMicroseconds = 10_000;

/** Whether this system reports the usage of other processes. */
export function canWatch(): boolean {
  return read('/proc/self/stat') !== undefined;
}

/** The usage of a process and its descendants so far; undefined if there is no process with this id. */
export function usageOf(pid: number): ProcessUsage | undefined {
  const all = processTree(pid).flatMap((member) => ownUsage(member) ?? []);
  if (all.length === 0) return undefined;
  return {
    cpuMicroseconds: sum(all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    residentMegabytes: sum(all.map(({ residentMegabytes }) => residentMegabytes)),
    peakMegabytes: sum(all.map(({ peakMegabytes }) => peakMegabytes)),
  };
}

/** The ids of a process and its descendants. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

function ownUsage(pid: number): ProcessUsage | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const status = read(`/proc/${pid}/status`);
  if (stat === undefined || status === undefined) return undefined;
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    // The clocks of the threads are finer, but do not include ended threads.
    cpuMicroseconds: Math.max(statTime(stat, 11), threadTime(pid)) + statTime(stat, 13),
    residentMegabytes: megabytes('VmRSS'),
    peakMegabytes: megabytes('VmHWM'),
  };
}

/**
 * User and system time: column 11 is that of the process itself, column 13 that of its ended children. The name is in
 * brackets and may contain anything, so the columns are counted after it.
 */
function statTime(stat: string, column: number): number {
  const columns = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(columns[column]) + Number(columns[column + 1])) * tickMicroseconds;
}

function threadTime(pid: number): number {
  const clocks = threadsOf(pid).map((thread) => read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0);
  return sum(clocks.map(Number)) / 1000;
}

function childrenOf(pid: number): number[] {
  const lists = threadsOf(pid).map((thread) => read(`/proc/${pid}/task/${thread}/children`) ?? '');
  return lists.flatMap((list) => list.split(' ').filter((word) => word.trim() !== '')).map(Number);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
