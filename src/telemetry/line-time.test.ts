import { afterEach, expect, it, vi } from 'vitest';
import { lineTime } from './line-time.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([0, 1, 999, 1_000, 1_001, 59_999, 1_794_843_092_007])('is the time in ISO form: %i', (now) => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  expect([lineTime(), lineTime()]).toEqual(Array(2).fill(`,"time":"${new Date(now).toISOString()}"`));
});
