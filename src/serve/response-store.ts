import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { KeeperOptions } from '../responses/response-keeper.ts';
import type { ResponseStore } from '../responses/store/response-store.ts';
import { StoreError } from '../responses/store/store-error.ts';

/** The store of responses, and the function that closes it. */
interface StoreHandle extends KeeperOptions {
  readonly close: () => Promise<void>;
}

/**
 * The store of the settings. A store of --store must open at the start. The default one in the cache folder opens at
 * its first use, so that Conch also runs without a writable folder.
 */
export async function responseStore(settings: CommandInput['settings'], logger: Logger): Promise<StoreHandle> {
  const onError = (error: unknown): void => logger.error({ err: error }, 'a response could not be stored');
  const { store: address, storeMaxAge, storeMaxSize, cacheDir } = settings;
  if (address === 'none') return { store: undefined, onError, close: async () => undefined };
  const limits = { maxAge: storeMaxAge, maxSize: storeMaxSize };
  let opening: Promise<ResponseStore> | undefined;
  const open = async (): Promise<ResponseStore> => {
    const file = join(cacheDir, 'responses.sqlite');
    if (address === undefined) await mkdir(dirname(file), { recursive: true });
    const { openStore } = await import('../responses/store/open-store.ts');
    return openStore(address ?? `sqlite:${file}`, limits, onError);
  };
  const store = (): Promise<ResponseStore> => {
    opening ??= open().catch((error: unknown) => {
      // The next request tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  if (address !== undefined)
    await store().catch((error: unknown) => {
      throw error instanceof StoreError ? new SettingsError([error.message]) : error;
    });
  return { store, onError, close: async () => (await opening)?.close() };
}
