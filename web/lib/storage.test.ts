import { describe, expect, it } from 'vitest';
import { openStorage } from './storage.ts';

describe('openStorage', () => {
  it('is the storage of a browser that has one', () => {
    const storage = {} as Storage;
    expect(openStorage(() => storage)).toEqual({ storage, isPersistent: true });
  });

  it('stores values in memory if the browser blocks storage', () => {
    const { storage, isPersistent } = openStorage(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    storage.setItem('one', '1');
    storage.setItem('two', '2');
    storage.removeItem('one');
    expect([isPersistent, storage.length, storage.key(0), storage.key(1)]).toEqual([false, 1, 'two', null]);
    expect([storage.getItem('one'), storage.getItem('two')]).toEqual([null, '2']);
    storage.clear();
    expect(storage.length).toBe(0);
  });
});
