import type { ModelIndexEntry, ModelStatistics } from '../../kserve/messages.ts';

type Counts = Readonly<Record<string, unknown>>;

/** The statistics of several servers, added up for each version of a model. */
export function mergeStatistics(all: readonly ModelStatistics[]): ModelStatistics[] {
  const merged = new Map<string, ModelStatistics>();
  for (const one of all) {
    const key = JSON.stringify([one.name, one.version]);
    const known = merged.get(key);
    merged.set(key, known ? sum(known, one) : one);
  }
  return [...merged.values()];
}

function sum(first: ModelStatistics, second: ModelStatistics): ModelStatistics {
  return {
    name: first.name,
    version: first.version,
    last_inference: Math.max(first.last_inference, second.last_inference),
    inference_count: first.inference_count + second.inference_count,
    execution_count: first.execution_count + second.execution_count,
    inference_stats: added(first.inference_stats ?? {}, second.inference_stats ?? {}) as NonNullable<
      ModelStatistics['inference_stats']
    >,
    batch_stats: mergeBatches([...first.batch_stats, ...second.batch_stats]),
    memory_usage: [...first.memory_usage, ...second.memory_usage],
    response_stats: added(first.response_stats, second.response_stats) as ModelStatistics['response_stats'],
  };
}

function mergeBatches(batches: ModelStatistics['batch_stats']): ModelStatistics['batch_stats'] {
  const merged = new Map<number, ModelStatistics['batch_stats'][number]>();
  for (const batch of batches) {
    const { batch_size } = batch;
    const known = merged.get(batch_size);
    merged.set(batch_size, known ? { ...added(known, batch), batch_size } : batch);
  }
  return [...merged.values()].toSorted((first, second) => first.batch_size - second.batch_size);
}

/** Adds up numbers of the same name, at any depth. */
function added(first: Counts, second: Counts): Counts {
  const sums: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const known = sums[name];
    if (typeof known === 'number' && typeof value === 'number') sums[name] = known + value;
    else if (isCounts(known) && isCounts(value)) sums[name] = added(known, value);
    else sums[name] ??= value;
  }
  return sums;
}

function isCounts(value: unknown): value is Counts {
  return typeof value === 'object' && value !== null;
}

/** Merges the rows of several indexes, sorted by name. Prefers ready rows, and rows with a version. */
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
