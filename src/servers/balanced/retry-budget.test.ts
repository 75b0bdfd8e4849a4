import { describe, expect, it } from 'vitest';
import { RetryBudget } from './retry-budget.ts';

function takenOf(budget: RetryBudget, times: number, now: number, share = 0.2): number {
  let taken = 0;
  for (let time = 0; time < times; time++) if (budget.take(now, share)) taken++;
  return taken;
}

describe('RetryBudget', () => {
  it('always allows a few', () => {
    expect(takenOf(new RetryBudget(), 1000, 0)).toBe(100);
  });

  it('allows a share of the requests beside', () => {
    const budget = new RetryBudget();
    for (let at = 0; at < 1000; at++) budget.request(at);
    expect(takenOf(budget, 1000, 1000)).toBe(300);
  });

  it('forgets both after ten seconds', () => {
    const budget = new RetryBudget();
    for (let at = 0; at < 1000; at++) budget.request(0);
    expect(takenOf(budget, 1000, 0)).toBe(300);
    expect(takenOf(budget, 1000, 9_999)).toBe(0);
    expect(takenOf(budget, 1000, 10_000)).toBe(100);
  });

  it('allows none where the share is none', () => {
    expect(takenOf(new RetryBudget(), 10, 0, 0)).toBe(0);
  });
});
