import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lostSpans } from './tracing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells of lost spans once a minute, and of all of them', () => {
  const told: unknown[] = [];
  const lose = lostSpans((spans, reason) => told.push([spans, reason]));
  lose(2, 'down');
  lose(3, 'down');
  lose(4, 'slow');
  expect(told).toEqual([[2, 'down']]);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([
    [2, 'down'],
    [7, 'slow'],
  ]);
  vi.advanceTimersByTime(600_000);
  lose(1, 'down');
  expect(told.slice(2)).toEqual([[1, 'down']]);
});
