import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MARKER = '.complete';

/** Where what was fetched is kept, outside the checkout. */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return process.env['CONCH_CACHE'] || join(base, 'conch');
}

/**
 * A folder of the cache, made once: in a temporary place, so that an interrupted run leaves nothing half-done.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} make
 */
export async function cached(name, make) {
  const folder = join(cacheFolder(), 'test', name);
  if (existsSync(join(folder, MARKER))) return folder;
  mkdirSync(join(cacheFolder(), 'test'), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), 'test', '.making-'));
  const removeTemporary = () => rmSync(temporary, { recursive: true, force: true });
  const interrupted = () => {
    removeTemporary();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await make(temporary);
    writeFileSync(join(temporary, MARKER), '');
    // Another run may have been quicker: then its folder stays.
    if (existsSync(join(folder, MARKER))) return folder;
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
    return folder;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    removeTemporary();
  }
}
