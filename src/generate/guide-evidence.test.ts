import { describe, expect, it } from 'vitest';
import { GuideEvidence } from './guide-evidence.ts';

function clocked(most?: number) {
  const clock = { now: 1_000_000 };
  const options = { now: () => clock.now, ...(most === undefined ? {} : { most }) };
  return { clock, evidence: new GuideEvidence<string>(options) };
}

describe('a guide that an engine responded to', () => {
  it('is proven there, and nowhere else', () => {
    const { evidence } = clocked();
    evidence.responded('m on one', 'g');
    expect([
      evidence.isProven('m on one', 'g'),
      evidence.isProven('m on one', 'h'),
      evidence.isProven('m on two', 'g'),
    ]).toEqual([true, false, false]);
  });

  it('stays so for all that fails with the engine, until the engine responds again', () => {
    const { clock, evidence } = clocked();
    evidence.responded('m on one', 'g');
    evidence.failed('m on one');
    clock.now += 999;
    evidence.responded('m on one', 'late');
    expect(evidence.isProven('m on one', 'g')).toBe(true);
    clock.now += 1;
    expect(evidence.isProven('m on one', 'g')).toBe(true);
    evidence.responded('m on one', 'new');
    expect(['g', 'late', 'new'].map((guide) => evidence.isProven('m on one', guide))).toEqual([false, false, true]);
    clock.now += 60_000;
    evidence.responded('m on one', 'newer');
    expect(evidence.isProven('m on one', 'new')).toBe(true);
  });

  it('is forgotten beyond so many: of guides, and of engines', () => {
    const { evidence } = clocked(2);
    for (const guide of ['a', 'b', 'a', 'c']) evidence.responded('m on one', guide);
    expect(['a', 'b', 'c'].map((guide) => evidence.isProven('m on one', guide))).toEqual([true, false, true]);
    for (let at = 0; at < 256; at++) evidence.responded(`m on ${at}`, 'a');
    expect([evidence.isProven('m on one', 'a'), evidence.isProven('m on 0', 'a')]).toEqual([false, true]);
  });
});

describe('requests whose clients disconnected', () => {
  it('are returned once, if their engine fails within ten seconds', () => {
    const { clock, evidence } = clocked();
    evidence.disconnected('m on one', 'early');
    clock.now += 5_000;
    evidence.disconnected('m on one', 'late');
    evidence.disconnected('m on two', 'elsewhere');
    clock.now += 5_000;
    expect([evidence.failed('m on one'), evidence.failed('m on one'), evidence.failed('m on three')]).toEqual([
      ['late'],
      [],
      [],
    ]);
  });

  it('are forgotten beyond so many', () => {
    const { evidence } = clocked(2);
    for (const request of ['a', 'b', 'c']) evidence.disconnected('m on one', request);
    expect(evidence.failed('m on one')).toEqual(['b', 'c']);
  });
});
