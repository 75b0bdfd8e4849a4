import { describe, expect, it } from 'vitest';
import { OutcomeWindow } from './outcome-window.ts';

describe('OutcomeWindow', () => {
  it('tells the share of failures of the last half minute', () => {
    const window = new OutcomeWindow();
    expect(window.totals(0)).toEqual({ count: 0, failureRate: 0 });
    window.add(0, false);
    window.add(10_000, true);
    window.add(29_999, true);
    expect(window.totals(29_999)).toEqual({ count: 3, failureRate: 1 / 3 });
    expect(window.totals(30_000)).toEqual({ count: 2, failureRate: 0 });
    window.clear();
    expect(window.totals(30_000)).toEqual({ count: 0, failureRate: 0 });
  });
});
