/** Storage of the web UI. */
export interface Keeper {
  readonly storage: Storage;
  /** False if the browser blocks storage: values are then lost when the tab is closed. */
  readonly isLasting: boolean;
}

/** A storage of the browser, or one in memory if opening it throws because the browser blocks storage. */
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
