/** Storage of the web UI. */
export interface BrowserStorage {
  readonly storage: Storage;
  /** False if the browser blocks storage: values are then lost when the tab is closed. */
  readonly isPersistent: boolean;
}

/** A storage of the browser, or one in memory if opening it throws because the browser blocks storage. */
export function openStorage(open: () => Storage): BrowserStorage {
  try {
    return { storage: open(), isPersistent: true };
  } catch {
    return { storage: storageInMemory(), isPersistent: false };
  }
}

export const browserStorage = openStorage(() => localStorage);
export const tabStorage = openStorage(() => sessionStorage);

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
