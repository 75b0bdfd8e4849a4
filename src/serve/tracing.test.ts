import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lostSpans } from './tracing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells of lost spans once a minute, and of all of them', () => {
  const reported: unknown[] = [];
  const lose = lostSpans((spans, reason) => reported.push([spans, reason]));
  lose(2, 'down');
  lose(3, 'down');
  lose(4, 'slow');
  expect(reported).toEqual([[2, 'down']]);
  vi.advanceTimersByTime(60_000);
  expect(reported).toEqual([
    [2, 'down'],
    [7, 'slow'],
  ]);
  vi.advanceTimersByTime(600_000);
  lose(1, 'down');
  expect(reported.slice(2)).toEqual([[1, 'down']]);
});
