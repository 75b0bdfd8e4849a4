import { type FSWatcher, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

interface WatchOptions {
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

/** Milliseconds that a file must stay as it is before it counts as written. */
const settleTime = 100;

/** Milliseconds between two looks where the file system tells of nothing. */
const pollInterval = 1_000;

/**
 * Calls back once for the file as it is found, and then each time it has become another one: written in place, replaced,
 * removed, back again, or behind a link that leads elsewhere now.
 */
export function watchFile(file: string, { onChange, signal }: WatchOptions): void {
  let seen: string | undefined;
  let reported: string | undefined;
  let soon: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const print = await printOf(file);
    if (signal.aborted) return;
    if (print !== seen) lookSoon();
    else if (print !== reported) {
      reported = print;
      onChange();
    }
    seen = print;
  };
  const lookSoon = (): void => {
    clearTimeout(soon);
    soon = setTimeout(() => void look(), settleTime).unref();
  };
  // The folder and not the file: editors put another file in its place, and Kubernetes another folder behind a link in it.
  const watcher = openWatcher(dirname(file), lookSoon);
  const poll = setInterval(() => void look(), pollInterval).unref();
  void look();
  signal.addEventListener('abort', () => {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(soon);
  });
}

/** A folder that cannot be watched is left to the looks from time to time. */
function openWatcher(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

/** Which file it is and when it was written; a text of its own for one that is not there. */
async function printOf(file: string): Promise<string> {
  try {
    const place = await realpath(file);
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(place, { bigint: true });
    return [place, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}
