import { tabStorage } from './storage.ts';

const name = 'conch.key';

/** The API key of this tab. It is stored only there, until the tab is closed. */
export function readKey(storage: Pick<Storage, 'getItem'> = tabStorage.storage): string | undefined {
  return storage.getItem(name) ?? undefined;
}

/** Stores a key, or removes it. */
export function keepKey(
  key: string | undefined,
  storage: Pick<Storage, 'setItem' | 'removeItem'> = tabStorage.storage,
): void {
  if (key === undefined) storage.removeItem(name);
  else storage.setItem(name, key);
}
