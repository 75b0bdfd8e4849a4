import { describe, expect, it } from 'vitest';
import { canWatch, usageOf } from './process-usage.ts';
import { Watch } from './watch.ts';

describe.skipIf(!canWatch())('usageOf', () => {
  it('tells what this process uses, as Node does', () => {
    const before = process.cpuUsage();
    const usage = usageOf(process.pid);
    const after = process.cpuUsage();
    // The kernel's ticks are 10 ms.
    expect(usage?.cpuMicroseconds).toBeGreaterThan(before.user + before.system - 50_000);
    expect(usage?.cpuMicroseconds).toBeLessThan(after.user + after.system + 50_000);
    const resident = process.memoryUsage().rss / 2 ** 20;
    expect(usage?.residentMegabytes).toBeGreaterThan(resident / 2);
    expect(usage?.residentMegabytes).toBeLessThan(resident * 2);
  });

  it('tells nothing of a process that is not there', () => {
    expect(usageOf(2 ** 30)).toBeUndefined();
  });
});

describe.skipIf(!canWatch())('Watch', () => {
  it('gives the usage before and after, and leaves out who is gone', () => {
    const watch = new Watch([
      { name: 'me', pid: process.pid },
      { name: 'nobody', pid: 2 ** 30 },
    ]);
    watch.begin();
    const changes = watch.end();
    expect(changes.map(({ name }) => name)).toEqual(['me']);
    expect(changes[0]?.after.cpuMicroseconds).toBeGreaterThanOrEqual(changes[0]?.before.cpuMicroseconds ?? 0);
  });
});
