import type { ResponseStore, StoreLimits } from './response-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreError } from './store-error.ts';

/**
 * Opens the store at `sqlite:PATH` or `postgres://…`. Rejects with a StoreError if that fails. `onError` gets the
 * errors that belong to no call, for example when the limits cannot be enforced.
 */
export async function openStore(
  address: string,
  limits: StoreLimits,
  onError: (error: StoreError) => void = () => {},
): Promise<ResponseStore> {
  const [, scheme, rest] = /^(\w+):(.*)$/s.exec(address) ?? [];
  if (scheme === 'sqlite' && rest) return SqliteStore.open({ file: rest, limits, onError });
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { PostgresStore } = await import('./postgres-store.ts');
    return PostgresStore.open({ url: address, limits, onError });
  }
  // The value is not repeated: it may contain a password.
  throw new StoreError('Invalid store: expected sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
}
