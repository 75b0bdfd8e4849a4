import type { ModelIndexEntry } from '../../kserve/messages.ts';

/** The rows of several indexes as one, by name: of two about one version the ready one, of a name without version none. */
export function mergeIndex(rows: readonly ModelIndexEntry[]): ModelIndexEntry[] {
  const merged = new Map<string, ModelIndexEntry>();
  for (const row of rows) {
    const key = JSON.stringify([row.name, row.version]);
    if (!merged.has(key) || row.state === 'READY') merged.set(key, row);
  }
  const versioned = new Set([...merged.values()].filter(({ version }) => version !== '').map(({ name }) => name));
  return [...merged.values()]
    .filter(({ name, version }) => version !== '' || !versioned.has(name))
    .toSorted((first, second) => compare(first.name, second.name) || Number(first.version) - Number(second.version));
}

function compare(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
