import { MarkerFinder } from './marker-finder.ts';

/**
 * Ends a text at the first stop sequence, wherever the pieces were cut: the one that is complete first wins. Only what
 * could still become a stop sequence is held back. The time is linear in the length of the text.
 */
export class StopStrings {
  readonly #finder: MarkerFinder | undefined;
  readonly #keepsStop: boolean;
  #held = '';
  #found: string | undefined;

  constructor(stops: readonly string[], { keepsStop = false }: { readonly keepsStop?: boolean } = {}) {
    const texts = stops.filter((text) => text !== '');
    this.#finder = texts.length === 0 ? undefined : new MarkerFinder(texts);
    this.#keepsStop = keepsStop;
  }

  /** The stop sequence that ended it. */
  get found(): string | undefined {
    return this.#found;
  }

  /** What is certain not to be a part of a stop sequence. */
  push(text: string): string {
    if (this.#found !== undefined) return '';
    if (!this.#finder) return text;
    const all = this.#held + text;
    const end = this.#held.length + this.#finder.find(text, 0, text.length);
    this.#found = this.#finder.found;
    const held = this.#found === undefined ? this.#finder.partial : 0;
    this.#held = held === 0 ? '' : all.slice(all.length - held);
    if (this.#found === undefined) return all.slice(0, all.length - held);
    return all.slice(0, this.#keepsStop ? end : end - this.#found.length);
  }

  /** The same for text in which no stop sequence may end; one that begins in it may end later. */
  skip(text: string): string {
    if (!this.#finder) return text;
    const all = this.#held + text;
    this.#finder.skip(text);
    const certain = all.length - this.#finder.partial;
    this.#held = all.slice(certain);
    return all.slice(0, certain);
  }

  /** What was held back when no more text comes. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    this.#finder?.reset();
    return held;
  }
}
