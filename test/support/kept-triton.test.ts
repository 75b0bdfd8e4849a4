import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keepTriton } from './kept-triton.ts';
import { isReady } from './triton.ts';

it('comes back on the same ports when it was killed, and says so', { timeout: 180_000 }, async () => {
  const reports: string[] = [];
  const options = { repository: 'test/models', modelControl: 'explicit' as const };
  const triton = await keepTriton(options, (text) => reports.push(text));
  onTestFinished(triton.stop);
  const first = triton.pid();
  process.kill(first, 'SIGKILL');
  while (reports.length < 2) await pause(50);
  expect(triton.pid()).not.toBe(first);
  expect(await isReady(triton.httpPort)).toBe(true);
  expect(reports[0]).toMatch(/^The shared tritonserver ended by SIGKILL at \S+ and is started again\. .*\n {2}\S/);
  expect(reports[1]).toMatch(/^The shared tritonserver is ready again at \S+\.$/);
});
