import type { ResponseStore, StoreLimits } from './response-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreError } from './store-error.ts';

/**
 * Opens the store at `sqlite:PATH` or `postgres://…`; one that cannot be used rejects with a StoreError. `onFault` is
 * told of the faults that no call can tell of, such as one that keeps the limits from being held.
 */
export async function openStore(
  place: string,
  limits: StoreLimits,
  onFault: (error: StoreError) => void = () => {},
): Promise<ResponseStore> {
  const [, scheme, rest] = /^(\w+):(.*)$/s.exec(place) ?? [];
  if (scheme === 'sqlite' && rest) return SqliteStore.open({ file: rest, limits, onFault });
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { PostgresStore } = await import('./postgres-store.ts');
    return PostgresStore.open({ url: place, limits, onFault });
  }
  // What was given may have a password in it.
  throw new StoreError('store: must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
}
