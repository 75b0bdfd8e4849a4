import { type FSWatcher, watch } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
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

interface FileOptions<Content> {
  /** Makes something of what stands in the file; throws where there are mistakes in it. */
  readonly read: (text: string) => Content;
  readonly signal: AbortSignal;
  /** The file holds something else now, which is in effect. */
  readonly onChange: (content: Content) => void;
  /** The file cannot be read, or has mistakes in it: what it held before stays in effect. */
  readonly onFault: (error: unknown) => void;
}

/** A file whose content is read again each time it changes. */
export class FollowedFile<Content> {
  #text: string;
  #content: Content;

  private constructor(text: string, content: Content) {
    this.#text = text;
    this.#content = content;
  }

  /** Throws where it cannot be read at all. */
  static async open<Content>(file: string, options: FileOptions<Content>): Promise<FollowedFile<Content>> {
    const text = await readFile(file, 'utf8');
    const followed = new FollowedFile(text, options.read(text));
    if (options.signal.aborted) return followed;
    let last = Promise.resolve();
    watchFile(file, {
      signal: options.signal,
      onChange: () => {
        last = last.then(() => followed.#readAgain(file, options)).catch(options.onFault);
      },
    });
    return followed;
  }

  get current(): Content {
    return this.#content;
  }

  async #readAgain(file: string, { read, onChange }: FileOptions<Content>): Promise<void> {
    const text = await readFile(file, 'utf8');
    if (text === this.#text) return;
    this.#text = text;
    this.#content = read(text);
    onChange(this.#content);
  }
}
