import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.ts';

const breakerOf = (failures = 3) => new Breaker(() => ({ failures, backoff: 1000, random: () => 0.5 }));

function failing(times: number, weight = 1, breaker = breakerOf()): Breaker {
  for (let time = 0; time < times; time++) breaker.fail(0, weight);
  return breaker;
}

describe('Breaker', () => {
  it('opens after this many failures in a row; a response starts a new row', () => {
    expect(failing(2).stateAt(0)).toBe('closed');
    expect(failing(3).stateAt(0)).toBe('open');
    const breaker = failing(2);
    breaker.complete();
    expect(failing(2, 1, breaker).stateAt(0)).toBe('closed');
  });

  it('takes unclear failures for less', () => {
    expect(failing(5, 0.5).stateAt(0)).toBe('closed');
    expect(failing(6, 0.5).stateAt(0)).toBe('open');
  });

  it('never opens where it is switched off', () => {
    expect(failing(100, 1, breakerOf(0)).allows(0)).toBe(true);
  });

  it('lets one at a time try once its backoff is over', () => {
    const breaker = failing(3);
    expect([breaker.allows(999), breaker.allows(1000)]).toEqual([false, true]);
    expect(breaker.stateAt(1000)).toBe('half-open');
    const trial = breaker.begin(1000) ?? 0;
    expect([trial, breaker.begin(1000), breaker.allows(1000)]).toEqual([1, undefined, false]);
    breaker.leaveTrial(trial);
    expect(breaker.allows(1000)).toBe(true);
  });

  it('closes when a trial gets a response', () => {
    const breaker = failing(3);
    breaker.begin(1000);
    breaker.close();
    expect(breaker.stateAt(1000)).toBe('closed');
    expect(failing(2, 1, breaker).stateAt(1000)).toBe('closed');
  });

  it('waits twice as long after each trial that fails, up to a bound', () => {
    const breaker = failing(3);
    const waits: number[] = [];
    for (let now = breaker.dueAt, time = 0; time < 7; time++) {
      breaker.fail(now, 1, breaker.begin(now));
      waits.push(breaker.dueAt - now);
      now = breaker.dueAt;
    }
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('does not stay open for requests from before it opened', () => {
    const breaker = failing(3);
    expect(breaker.fail(900, 1)).toBe(false);
    expect(breaker.dueAt).toBe(1000);
  });

  it('accepts the end of a trial only from that trial', () => {
    const breaker = failing(3);
    const old = breaker.begin(1000) ?? 0;
    breaker.open(1000);
    const trial = breaker.begin(5000);
    expect(breaker.fail(5000, 1)).toBe(false);
    expect(breaker.fail(5000, 1, old)).toBe(false);
    breaker.leaveTrial(old);
    expect([breaker.allows(5000), breaker.stateAt(5000)]).toEqual([false, 'half-open']);
    expect(breaker.fail(5000, 1, trial)).toBe(true);
  });
});
