import { type FSWatcher, watch } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

interface FileWatchOptions {
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

/** Milliseconds without a change before a file counts as written. */
const settleTime = 100;

/** Milliseconds between two checks, for file systems without events. */
const pollInterval = 1_000;

/**
 * Calls back once at first, and then each time the file has changed: written in place, replaced, removed, created again,
 * or reached through a changed link.
 */
export function watchFile(file: string, { onChange, signal }: FileWatchOptions): void {
  let seen: string | undefined;
  let reported: string | undefined;
  let soon: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const print = await signatureOf(file);
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
  // The folder, not the file: editors replace the file, and Kubernetes the target of a link in the folder.
  const watcher = openWatcher(dirname(file), lookSoon);
  const poll = setInterval(() => void look(), pollInterval).unref();
  void look();
  signal.addEventListener('abort', () => {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(soon);
  });
}

/** Undefined if the folder cannot be watched; then only the polling finds changes. */
function openWatcher(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

/** Identifies a file and its last change; the error text if it does not exist. */
async function signatureOf(file: string): Promise<string> {
  try {
    const path = await realpath(file);
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}

interface FileOptions<Content> {
  /** Parses the text of the file; throws if it is invalid. */
  readonly read: (text: string) => Content;
  readonly signal: AbortSignal;
  /** The file has changed, and its new content is in effect. */
  readonly onChange: (content: Content) => void;
  /** The file cannot be read or is invalid: its old content stays in effect. */
  readonly onError: (error: unknown) => void;
}

/** A file that is reloaded each time it changes. */
export class FollowedFile<Content> {
  #text: string;
  #content: Content;

  private constructor(text: string, content: Content) {
    this.#text = text;
    this.#content = content;
  }

  /** Throws if it cannot be read or is invalid. */
  static async open<Content>(file: string, options: FileOptions<Content>): Promise<FollowedFile<Content>> {
    const text = await readFile(file, 'utf8');
    const followed = new FollowedFile(text, options.read(text));
    if (options.signal.aborted) return followed;
    let last = Promise.resolve();
    watchFile(file, {
      signal: options.signal,
      onChange: () => {
        last = last.then(() => followed.#readAgain(file, options)).catch(options.onError);
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
