import { expect, it } from 'vitest';
import { keepKey, readKey } from './session-key.ts';

it('keeps the key of a tab, and forgets it', () => {
  const map = new Map<string, string>();
  const storage = {
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, value: string) => void map.set(name, value),
    removeItem: (name: string) => void map.delete(name),
  };
  expect(readKey(storage)).toBeUndefined();
  keepKey('secret', storage);
  expect(readKey(storage)).toBe('secret');
  keepKey(undefined, storage);
  expect(map.size).toBe(0);
});
