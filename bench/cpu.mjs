/** What a process has used so far, from /proc (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

const STAT_TICK_MICROSECONDS = 10_000;

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * CPU time in microseconds, user and system, of all threads. In nanosecond steps where the kernel keeps schedstat, and in steps
 * of 10 ms otherwise.
 * @param {number} pid
 */
export function cpuMicroseconds(pid) {
  if (read(`/proc/${pid}/schedstat`) === undefined) return fromStat(pid);
  let nanoseconds = 0;
  // A thread may end between the two reads.
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0);
  }
  return nanoseconds / 1000;
}

/** @param {number} pid */
function fromStat(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name stands in brackets and may hold anything, so the columns are counted from behind it.
  const columns = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(columns[11]) + Number(columns[12])) * STAT_TICK_MICROSECONDS;
}

/**
 * A process and all that it has started, and so on.
 * @param {number} pid
 */
export function processTree(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(children.get(member) ?? []));
  return tree;
}

/**
 * Resident memory in MB, now and at its highest.
 * @param {number} pid
 */
export function memoryMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  /** @param {string} name */
  const line = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return { resident: line('VmRSS'), peak: line('VmHWM') };
}
