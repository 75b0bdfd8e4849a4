import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keepTriton, type Outage } from './cached-triton.ts';
import { isReady } from './triton.ts';

it('comes back on the same ports when it was killed, and says so', { timeout: 180_000 }, async () => {
  const reports: string[] = [];
  const options = { repository: 'test/models', modelControl: 'explicit' as const };
  let outages: readonly Outage[] = [];
  const triton = await keepTriton(options, {
    report: (text) => reports.push(text),
    onOutages: (all) => (outages = [...all]),
  });
  onTestFinished(triton.stop);
  const first = triton.pid();
  const killed = Date.now();
  process.kill(first, 'SIGKILL');
  while (reports.length < 2) await pause(50);
  expect(triton.pid()).not.toBe(first);
  expect(await isReady(triton.httpPort)).toBe(true);
  expect(reports[0]).toMatch(
    /^The shared tritonserver ended by SIGKILL at \S+ and is started again\. Its last lines:\n {2}\S/,
  );
  expect(reports[1]).toMatch(/^The shared tritonserver is ready again at \S+\.$/);
  const [{ began, ended } = { began: 0, ended: 0 }, ...others] = outages;
  expect(others).toEqual([]);
  expect(began).toBeGreaterThanOrEqual(killed);
  expect(ended).toBeGreaterThanOrEqual(began);
  expect(ended).toBeLessThanOrEqual(Date.now());
});
