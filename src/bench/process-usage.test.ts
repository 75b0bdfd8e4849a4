import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { canWatch, processTree, usageOf } from './process-usage.ts';
import { Watch } from './watch.ts';

describe.skipIf(!canWatch())('usageOf', () => {
  it('tells what a process uses, as Node does in it', async () => {
    const script = `process.stdin.on('data', () => {
      const { user, system } = process.cpuUsage();
      console.log(JSON.stringify({ cpu: user + system, resident: process.memoryUsage().rss / 2 ** 20 }));
    });`;
    const child = spawn(process.execPath, ['-e', script]);
    const ask = async (): Promise<{ cpu: number; resident: number }> => {
      child.stdin.write('?');
      return JSON.parse(String(await once(child.stdout, 'data')));
    };
    const before = await ask();
    const usage = usageOf(child.pid ?? 0);
    const after = await ask();
    child.kill();
    await once(child, 'exit');
    // The kernel's ticks are 10 ms.
    expect(usage?.cpuMicroseconds).toBeGreaterThan(before.cpu - 50_000);
    expect(usage?.cpuMicroseconds).toBeLessThan(after.cpu + 50_000);
    expect(usage?.residentMegabytes).toBeGreaterThan(after.resident / 2);
    expect(usage?.residentMegabytes).toBeLessThan(after.resident * 2);
    expect(usage?.peakMegabytes).toBeGreaterThanOrEqual(usage?.residentMegabytes ?? Number.NaN);
  });

  it('has what its children use, those that run and those that have ended', async () => {
    const busy = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);';
    const before = usageOf(process.pid);
    const ended = spawn(process.execPath, ['-e', busy]);
    await once(ended, 'exit');
    const between = usageOf(process.pid);
    const running = spawn(process.execPath, ['-e', `${busy} console.log('x'); setInterval(() => 0, 1000);`]);
    await once(running.stdout, 'data');
    const after = usageOf(process.pid);
    running.kill();
    await once(running, 'exit');
    expect((between?.cpuMicroseconds ?? 0) - (before?.cpuMicroseconds ?? 0)).toBeGreaterThan(190_000);
    expect((after?.cpuMicroseconds ?? 0) - (between?.cpuMicroseconds ?? 0)).toBeGreaterThan(190_000);
    expect((after?.residentMegabytes ?? 0) - (between?.residentMegabytes ?? 0)).toBeGreaterThan(15);
  });

  it('tells nothing of a process that is not there', () => {
    expect(usageOf(2 ** 30)).toBeUndefined();
  });

  it('finds the descendants of a process', async () => {
    const grandchild = "require('node:child_process').spawn('sleep', ['60'])";
    const script = `const { pid } = ${grandchild}; console.log(pid); process.on('SIGTERM', () => { process.kill(pid); process.exit(); });`;
    const child = spawn(process.execPath, ['-e', script]);
    const pid = Number(String(await once(child.stdout, 'data')));
    const tree = processTree(child.pid ?? 0);
    child.kill();
    await once(child, 'exit');
    expect(tree).toEqual([child.pid, pid]);
    expect(processTree(process.pid)).not.toContain(pid);
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
