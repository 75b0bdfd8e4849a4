import { describe, expect, it } from 'vitest';
import { SegmentStore } from './segment-store.ts';

function storeOf(limit: number): SegmentStore {
  const store = new SegmentStore();
  store.limit = limit;
  return store;
}

const ids = (...numbers: number[]): Int32Array => Int32Array.from(numbers);
/** Bytes of an entry with a text of ten narrow characters and one id. */
const entry = 256 + 10 + 4;

describe('SegmentStore', () => {
  it('gives back what was set, for each table apart', () => {
    const store = storeOf(2 ** 20);
    const [one, two] = [store.table(), store.table()];
    one.set('text', ids(1, 2));
    two.set('text', ids(3));
    one.set('text', ids(9));
    expect([one.get('text'), two.get('text'), one.get('other')]).toEqual([ids(1, 2), ids(3), undefined]);
  });

  it('drops those that were unused for longest, and never has more bytes than its limit', () => {
    const store = storeOf(10 * entry);
    const table = store.table();
    const keys = Array.from({ length: 12 }, (_, index) => `text ${index}`.padEnd(10));
    for (const [index, key] of keys.slice(0, 10).entries()) table.set(key, ids(index));
    expect(store.bytes).toBe(10 * entry);
    table.get(keys[0] ?? '');
    for (const [index, key] of keys.slice(10).entries()) table.set(key, ids(10 + index));
    expect(store.bytes).toBe(10 * entry);
    expect(keys.map((key) => table.get(key)?.[0])).toEqual([0, undefined, undefined, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('counts characters that take two bytes as two', () => {
    const store = storeOf(2 ** 20);
    store.table().set('é'.repeat(100), ids());
    expect(store.bytes).toBe(256 + 100);
    store.table().set('東'.repeat(100), ids());
    expect(store.bytes).toBe(2 * 256 + 300);
  });

  it('stores no text that would take more than its share', () => {
    const store = storeOf(8 * entry);
    const table = store.table();
    table.set('x'.repeat(10), ids(1));
    table.set('x'.repeat(11), ids(2));
    expect([table.get('x'.repeat(10)), table.get('x'.repeat(11)), store.bytes]).toEqual([ids(1), undefined, entry]);
  });

  it('shrinks to a new limit; one of 0 stores nothing', () => {
    const store = storeOf(20 * entry);
    const table = store.table();
    for (let index = 0; index < 20; index++) table.set(`text ${index}`.padEnd(10), ids(index));
    store.limit = 8 * entry;
    expect([store.bytes, table.get('text 11   '), table.get('text 12   ')]).toEqual([8 * entry, undefined, ids(12)]);
    store.limit = 0;
    table.set('a', ids(1));
    expect([store.bytes, table.get('text 19   '), table.get('a')]).toEqual([0, undefined, undefined]);
    store.limit = 8 * entry;
    table.set('a', ids(1));
    expect(table.get('a')).toEqual(ids(1));
  });
});
