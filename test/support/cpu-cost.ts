/**
 * The CPU time of some work in microseconds, in the best of five runs. Compare it with that of other work in the same
 * process: machines differ, and tests share them.
 */
export function bestCost(work: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
