import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { KeyRing } from './key-ring.ts';
import { digestIn, digestOf, hashOf, newKey } from './secrets.ts';

// Modules that are loaded already see the spies too.
const spies = [vi.spyOn(crypto, 'createHash'), vi.spyOn(crypto, 'timingSafeEqual')];
syncBuiltinESMExports();
afterAll(() => {
  for (const spy of spies) spy.mockRestore();
  syncBuiltinESMExports();
});

const keys = ['first', 'second', 'third'];
const ring = new KeyRing(
  keys.map((key) => ({ digest: digestOf(key), holder: { id: `key:${key}`, name: key, concurrent: 2 } })),
);

/** What is done to look a key up. */
function stepsOf(secret: string): readonly string[] {
  for (const spy of spies) spy.mockClear();
  ring.find(secret);
  return spies.flatMap((spy) => spy.mock.calls.map(() => spy.getMockName()));
}

describe('KeyRing', () => {
  it('finds the holder of a key, and stores no key', () => {
    const owner = createHash('sha256').update('owner of second').digest('hex');
    expect(ring.find('second')).toEqual({ id: 'key:second', name: 'second', concurrent: 2, owner });
    expect(['Second', 'second ', '', 'sec', hashOf('second')].map((wrong) => ring.find(wrong))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(Object.values(ring))).not.toContain('second');
  });

  it('does the same work whichever key fits, and when none does', () => {
    const same = ['createHash', 'createHash', 'timingSafeEqual'];
    for (const secret of [...keys, 'none', 'thirD', 'x'.repeat(1000), '']) expect(stepsOf(secret)).toEqual(same);
  });
});

describe('the hashed form of a key', () => {
  it('leads to its digest', () => {
    expect(digestIn(hashOf('a'))).toEqual(digestOf('a'));
    expect(digestIn(hashOf('a').toUpperCase().replace('SHA256', 'sha256'))).toEqual(digestOf('a'));
    expect(digestIn('sha256:abc')).toBeUndefined();
    expect(digestIn(`md5:${'a'.repeat(64)}`)).toBeUndefined();
  });

  it('is of a key that is new each time', () => {
    const made = Array.from({ length: 100 }, newKey);
    expect(new Set(made).size).toBe(100);
    expect(made.every((key) => /^sk-conch-[\w-]{43}$/.test(key))).toBe(true);
  });
});
