/** Where the page keeps things. */
export interface Keeper {
  readonly storage: Storage;
  /** False where the browser allows no storage: what is kept is gone with the tab. */
  readonly isLasting: boolean;
}

/** A storage of the browser; asking for one that it does not allow throws. */
export function keeperOf(open: () => Storage): Keeper {
  try {
    return { storage: open(), isLasting: true };
  } catch {
    return { storage: storageInMemory(), isLasting: false };
  }
}

export const browserKeeper = keeperOf(() => localStorage);
export const tabKeeper = keeperOf(() => sessionStorage);

function storageInMemory(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (at) => [...values.keys()][at] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  };
}
