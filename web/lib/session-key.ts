import { tabKeeper } from './storage.ts';

const name = 'conch.key';

/** The key of this tab. It is kept as long as the tab is open, and nowhere else. */
export function readKey(storage: Pick<Storage, 'getItem'> = tabKeeper.storage): string | undefined {
  return storage.getItem(name) ?? undefined;
}

/** Keeps a key, or forgets it. */
export function keepKey(
  key: string | undefined,
  storage: Pick<Storage, 'setItem' | 'removeItem'> = tabKeeper.storage,
): void {
  if (key === undefined) storage.removeItem(name);
  else storage.setItem(name, key);
}
