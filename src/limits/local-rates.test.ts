import { describe, expect, it } from 'vitest';
import { LocalRates } from './local-rates.ts';

/** Rates on a clock that the test moves. */
function clocked(most?: number) {
  const clock = { now: 5_000 };
  return { clock, rates: new LocalRates({ now: () => clock.now, ...(most === undefined ? {} : { most }) }) };
}

const rate = { name: 'a', perMinute: 60 };

describe('LocalRates', () => {
  it('gives what a minute has, and then as much as comes back', async () => {
    const { clock, rates } = clocked();
    expect(await rates.take(rate, 1)).toEqual({ isAllowed: true, left: 59, fullIn: 1_000, retryIn: 0 });
    expect(await rates.take(rate, 59)).toEqual({ isAllowed: true, left: 0, fullIn: 60_000, retryIn: 0 });
    expect(await rates.take(rate, 1)).toEqual({ isAllowed: false, left: 0, fullIn: 60_000, retryIn: 1_000 });
    clock.now += 999;
    expect(await rates.take(rate, 1)).toEqual({ isAllowed: false, left: 0, fullIn: 59_001, retryIn: 1 });
    clock.now += 1;
    expect(await rates.take(rate, 1)).toEqual({ isAllowed: true, left: 0, fullIn: 60_000, retryIn: 0 });
    clock.now += 600_000;
    expect(await rates.take(rate, 1)).toEqual({ isAllowed: true, left: 59, fullIn: 1_000, retryIn: 0 });
  });

  it.each([1, 3, 7, 11, 59, 61, 1000, 4999])('gives exactly %s of so many a minute at once', async (perMinute) => {
    const { rates } = clocked();
    const one = { name: 'b', perMinute };
    let granted = 0;
    for (let requested = 0; requested < perMinute; requested++) granted += (await rates.take(one, 1)).isAllowed ? 1 : 0;
    expect(granted).toBe(perMinute);
    expect(await rates.take(one, 1)).toMatchObject({ isAllowed: false, left: 0 });
  });

  it('takes nothing of what it does not give', async () => {
    const { rates } = clocked();
    await rates.take(rate, 50);
    expect(await rates.take(rate, 11)).toMatchObject({ isAllowed: false, left: 10, retryIn: 1_000 });
    expect(await rates.take(rate, 10)).toMatchObject({ isAllowed: true, left: 0 });
  });

  it('charges beyond what is left, and says when there is something again', async () => {
    const { clock, rates } = clocked();
    expect(await rates.take(rate, 0)).toEqual({ isAllowed: true, left: 60, fullIn: 0, retryIn: 0 });
    rates.charge(rate, 90);
    expect(await rates.take(rate, 0)).toEqual({ isAllowed: false, left: -30, fullIn: 90_000, retryIn: 31_000 });
    clock.now += 31_000;
    expect(await rates.take(rate, 0)).toMatchObject({ isAllowed: true, left: 1 });
    rates.charge(rate, 0);
    expect(await rates.take(rate, 0)).toMatchObject({ isAllowed: true, left: 1 });
  });

  it('takes back what was not used, and never has more than a minute gives', async () => {
    const { rates } = clocked();
    await rates.take(rate, 50);
    rates.charge(rate, -20);
    expect(await rates.take(rate, 0)).toMatchObject({ left: 30 });
    rates.charge(rate, -100);
    expect(await rates.take(rate, 0)).toMatchObject({ left: 60, fullIn: 0 });
  });

  it('counts each name by itself', async () => {
    const { rates } = clocked();
    await rates.take(rate, 60);
    expect(await rates.take({ ...rate, name: 'c' }, 60)).toMatchObject({ isAllowed: true });
  });

  it('forgets the names that were used the longest time ago, beyond so many', async () => {
    const { rates } = clocked(2);
    for (const name of ['a', 'b', 'a', 'c']) await rates.take({ ...rate, name }, 1);
    const left = async (name: string) => (await rates.take({ ...rate, name }, 0)).left;
    expect([await left('a'), await left('b'), await left('c')]).toEqual([58, 60, 59]);
  });
});
