import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Coalescer } from './coalescer.ts';

let share = 0;
let now = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const utilization = () => ({ idle: 0, active: 0, utilization: share });
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(utilization);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Has a tenth of a second pass in which the event loop worked for this share of the time. */
function pass(worked: number): void {
  share = worked;
  now += 100;
}

it('holds nothing back while the process has time', () => {
  const coalescing = new Coalescer(() => 10);
  pass(0.49);
  expect(coalescing.holds({ release: () => undefined })).toBe(false);
});

it('releases everything together after the time that is set, while the process is busy', () => {
  const released: string[] = [];
  const coalescing = new Coalescer(() => 10);
  pass(0.5);
  for (const name of ['a', 'b']) expect(coalescing.holds({ release: () => released.push(name) })).toBe(true);
  vi.advanceTimersByTime(9);
  expect(released).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(released).toEqual(['a', 'b']);
  pass(0.1);
  expect(coalescing.holds({ release: () => undefined })).toBe(false);
});

it('is off with 0', () => {
  const coalescing = new Coalescer(() => 0);
  pass(1);
  expect([coalescing.isOn, coalescing.holds({ release: () => undefined })]).toEqual([false, false]);
});
