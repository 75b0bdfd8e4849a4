import { readFile } from 'node:fs/promises';
import { watchFile } from './watch-file.ts';

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
