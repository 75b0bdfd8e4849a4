import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ticker } from './ticker.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Ticker', () => {
  it('looks at all members with one timer, which runs only while there are some', () => {
    const ticker = new Ticker();
    const looks: string[] = [];
    const members = ['a', 'b'].map((name) => ({ tick: (now: number) => looks.push(`${name} ${now}`) }));
    expect(vi.getTimerCount()).toBe(0);
    const entries = members.map((member) => ticker.add(member));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(looks).toEqual([`a ${ticker.now}`, `b ${ticker.now}`]);
    for (const entry of entries) ticker.remove(entry);
    vi.advanceTimersByTime(100);
    expect([looks.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it('knows the time from the first member on', () => {
    const ticker = new Ticker();
    vi.advanceTimersByTime(5000);
    ticker.add({ tick: () => undefined });
    expect(ticker.now).toBe(performance.now());
  });
});
