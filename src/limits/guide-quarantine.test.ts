import { describe, expect, it } from 'vitest';
import { GuideQuarantine, type QuarantineState } from './guide-quarantine.ts';

const minute = 60_000;
const hour = 60 * minute;

function clocked({ duration = 10 * minute, most }: { duration?: number; most?: number } = {}) {
  const clock = { now: 1_000_000, duration };
  const quarantine = new GuideQuarantine({
    duration: () => clock.duration,
    now: () => clock.now,
    ...(most === undefined ? {} : { most }),
  });
  return {
    clock,
    quarantine,
    note: (client: string, guide: string, engine = 'm on one') =>
      quarantine.note({ client, guide, engine, blamesClient: true, at: clock.now }),
    check: (client: string, guide: string) => quarantine.check(client, () => guide),
  };
}

describe('a guide', () => {
  it('is refused for everybody after a failure, and no longer than that', () => {
    const { clock, note, check } = clocked();
    expect(check('alice', 'g')).toBeUndefined();
    expect(note('alice', 'g')).toEqual({ until: 1_600_000, suspendedUntil: undefined });
    const refusal = { kind: 'guide', failedAt: 1_000_000, until: 1_600_000 };
    expect([check('alice', 'g'), check('bob', 'g'), check('bob', 'h')]).toEqual([refusal, refusal, undefined]);
    clock.now += 10 * minute - 1;
    expect(check('bob', 'g')).toEqual(refusal);
    clock.now += 1;
    expect(check('bob', 'g')).toBeUndefined();
  });

  it('is refused anew after another failure', () => {
    const { clock, note, check } = clocked();
    note('alice', 'g');
    clock.now += 9 * minute;
    note('bob', 'g');
    note('carol', 'h');
    clock.now += 2 * minute;
    expect(check('dave', 'g')).toEqual({ kind: 'guide', failedAt: 1_540_000, until: 2_140_000 });
  });

  it('follows the setting at once, also where it is turned off', () => {
    const { clock, note, check } = clocked();
    note('alice', 'g');
    clock.duration = 0;
    expect([check('alice', 'g'), note('alice', 'h'), check('alice', 'h')]).toEqual([undefined, undefined, undefined]);
    clock.duration = minute;
    expect(check('alice', 'g')).toEqual({ kind: 'guide', failedAt: 1_000_000, until: 1_060_000 });
  });

  it('is not hashed while there is nothing to compare it with', () => {
    const { clock, note, quarantine } = clocked();
    const unhashed = () => quarantine.check('bob', () => expect.unreachable('hashed'));
    expect(unhashed()).toBeUndefined();
    note('alice', 'g');
    clock.now += 10 * minute;
    expect(unhashed()).toBeUndefined();
  });
});

describe('a client', () => {
  it('causes two failures with a thousand different guides, and then none', () => {
    const { clock, note, check } = clocked();
    const outcomes = Array.from({ length: 1_000 }, (_, at) => {
      clock.now += 50;
      const refusal = check('mallory', `guide ${at}`);
      if (refusal) return refusal.kind;
      // Each of them ends an engine of its own.
      note('mallory', `guide ${at}`, `m on ${at}`);
      return 'failure';
    });
    expect(outcomes).toEqual(['failure', 'failure', ...Array.from({ length: 998 }, () => 'client')]);
    expect(check('alice', 'another guide')).toBeUndefined();
  });

  it('is suspended for a minute, then twice as long with each failure, for an hour at most', () => {
    const { clock, note, check } = clocked();
    const suspensions = Array.from({ length: 10 }, (_, at) => {
      clock.now += minute;
      note('mallory', `guide ${at}`);
      const refusal = check('mallory', 'another guide');
      if (!refusal) return 0;
      const took = refusal.until - clock.now;
      clock.now = refusal.until - 1;
      expect(check('mallory', 'another guide')).toEqual({ kind: 'client', failures: at + 1, until: refusal.until });
      clock.now = refusal.until;
      expect(check('mallory', 'another guide')).toBeUndefined();
      return took / minute;
    });
    expect(suspensions).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('counts a failure that another process noted earlier, and keeps the later time', () => {
    const { clock, quarantine, note } = clocked();
    note('alice', 'g', 'm on one');
    quarantine.note({ client: 'alice', guide: 'g', engine: 'm on two', blamesClient: true, at: clock.now - 5_000 });
    expect(quarantine.state()).toEqual({ guides: [['g', 1_000_000]], clients: [['alice', 2, 1_000_000]] });
  });

  it('says when a failure suspends it', () => {
    const { note } = clocked();
    expect(note('mallory', 'a', 'm on one')).toEqual({ until: 1_600_000, suspendedUntil: undefined });
    expect(note('mallory', 'b', 'm on two')).toEqual({ until: 1_600_000, suspendedUntil: 1_060_000 });
  });

  it('is not suspended for several requests that one failure ended', () => {
    const { clock, note, check } = clocked();
    const noted = Array.from({ length: 5 }, (_, at) => {
      clock.now += 100;
      return note('alice', `guide ${at}`)?.suspendedUntil;
    });
    expect([...noted, check('alice', 'other')]).toEqual(Array.from({ length: 6 }, () => undefined));
    clock.now += 1_000;
    expect(note('alice', 'late')?.suspendedUntil).toBe(clock.now + minute);
  });

  it('is forgotten an hour after its failure, or after its suspension', () => {
    const { clock, note } = clocked();
    note('alice', 'a');
    clock.now += hour;
    expect(note('alice', 'b')?.suspendedUntil).toBeUndefined();
    clock.now += minute;
    expect(note('alice', 'c')?.suspendedUntil).toBe(clock.now + minute);
    clock.now += minute + hour - 1;
    expect(note('alice', 'd')?.suspendedUntil).toBe(clock.now + 2 * minute);
    clock.now += 2 * minute + hour;
    expect(note('alice', 'e')?.suspendedUntil).toBeUndefined();
  });
});

describe('the memory', () => {
  it('is bounded: the oldest guides and clients are forgotten', () => {
    const { quarantine, note, check } = clocked({ most: 3 });
    for (let at = 0; at < 1_000; at++) note(`client ${at}`, `guide ${at}`, `m on ${at}`);
    note('client 997', 'guide 997', 'm on another');
    note('client 1000', 'guide 1000');
    expect(quarantine.state()).toEqual({
      guides: ['guide 999', 'guide 997', 'guide 1000'].map((guide) => [guide, 1_000_000]),
      clients: [
        ['client 999', 1, 1_000_000],
        ['client 997', 2, 1_000_000],
        ['client 1000', 1, 1_000_000],
      ],
    });
    expect([check('bob', 'guide 998')?.kind, check('bob', 'guide 997')?.kind]).toEqual([undefined, 'guide']);
  });

  it('is taken over by another process, where it is newer', () => {
    const one = clocked();
    one.note('alice', 'old', 'm on one');
    one.clock.now += minute;
    one.note('alice', 'g', 'm on two');
    const two = clocked();
    two.note('bob', 'h');
    two.clock.now += 2 * minute;
    two.note('alice', 'g');
    // As it comes from another process.
    two.quarantine.merge(JSON.parse(JSON.stringify(one.quarantine.state())) as QuarantineState);
    expect(two.quarantine.state()).toEqual({
      guides: [
        ['h', 1_000_000],
        ['old', 1_000_000],
        ['g', 1_120_000],
      ],
      clients: [
        ['bob', 1, 1_000_000],
        ['alice', 1, 1_120_000],
      ],
    });
    const three = clocked();
    three.clock.now = one.clock.now;
    three.quarantine.merge(one.quarantine.state());
    expect(three.check('alice', 'another')).toEqual({ kind: 'client', failures: 2, until: 1_120_000 });
  });
});
