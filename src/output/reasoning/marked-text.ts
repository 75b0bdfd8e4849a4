import type { MarkerFinder } from '../marker-finder.ts';

/** A text that comes in pieces and is read from marker to marker. It keeps only what could still become one. */
export class MarkedText {
  #piece = '';
  #at = 0;
  #partial = '';

  add(piece: string): void {
    this.#piece = piece;
    this.#at = 0;
  }

  /** Whether all pieces so far were read. */
  get isRead(): boolean {
    return this.#at >= this.#piece.length;
  }

  /** The text before the next marker, or all that is certain not to be one: `finder.found` tells which. */
  read(finder: MarkerFinder): string {
    const from = this.#at;
    this.#at = finder.find(this.#piece, from, this.#piece.length);
    const text = this.#partial + this.#piece.slice(from, this.#at);
    const end = text.length - (finder.found?.length ?? finder.partial);
    this.#partial = finder.found === undefined ? text.slice(end) : '';
    return text.slice(0, end);
  }

  /** The end of the text: what was held back is no marker. */
  end(): string {
    const rest = this.#partial;
    this.#partial = '';
    return rest;
  }
}

/** Joins the parts of a text between markers: each begins a new line, as the markers themselves are removed. */
export class JoinedParts {
  #hasText = false;
  #isNext = false;

  beginPart(): void {
    this.#isNext = this.#hasText;
  }

  /** More of the current part, with the line break before it where it begins. */
  join(text: string): string {
    const joined = this.#isNext ? `\n${text}` : text;
    this.#isNext = false;
    this.#hasText = true;
    return joined;
  }
}
