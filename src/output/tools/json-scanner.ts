import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  isWordCharacter,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.ts';

/** `open`: the value goes on; `closed`: it is complete; `broken`: no further text can complete it. */
export type JsonState = 'open' | 'closed' | 'broken';

/**
 * Finds the end of one JSON value in a text that comes in pieces. It matches brackets and strings, and refuses
 * characters that JSON has nowhere outside strings. It checks no more than that: line breaks inside strings and Python's
 * `True` pass, because models write them and the client may accept them.
 */
export class JsonScanner {
  /** The closing brackets that are awaited, the innermost last. */
  readonly #awaited: number[] = [];
  #state: JsonState = 'open';
  #context: 'start' | 'between' | 'string' | 'escape' | 'word' = 'start';

  /** A scanner of a value of which the opening brace was read before, and that of the list that it begins. */
  static insideObject({ isInList = false } = {}): JsonScanner {
    const scanner = new JsonScanner();
    if (isInList) scanner.#open(CLOSE_BRACKET);
    scanner.#open(CLOSE_BRACE);
    return scanner;
  }

  get state(): JsonState {
    return this.#state;
  }

  /** Reads on from `from` up to `to`, and says where it stopped: behind the value, at what breaks it, or at `to`. */
  scan(text: string, from: number, to: number): number {
    let at = from;
    while (at < to && this.#state === 'open') {
      if (this.#context === 'string') at = this.#scanString(text, at, to);
      else if (this.#context === 'escape') {
        this.#context = 'string';
        at++;
      } else if (this.#outsideString(text.charCodeAt(at))) at++;
    }
    return at;
  }

  #scanString(text: string, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code !== QUOTE && code !== BACKSLASH) continue;
      if (code === BACKSLASH) this.#context = 'escape';
      else this.#valueEnds();
      return at + 1;
    }
    return to;
  }

  /** Whether the character belongs to the value. */
  #outsideString(code: number): boolean {
    if (this.#context === 'word' && this.#awaited.length === 0 && !isWordCharacter(code)) {
      this.#state = 'closed';
      return false;
    }
    if (isWordCharacter(code)) this.#context = 'word';
    else if (isSpace(code)) return true;
    else if (code === QUOTE) this.#context = 'string';
    else if (code === OPEN_BRACE) this.#open(CLOSE_BRACE);
    else if (code === OPEN_BRACKET) this.#open(CLOSE_BRACKET);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return this.#close(code);
    else if (code !== COMMA && code !== COLON) return this.#break();
    else if (this.#awaited.length === 0) return this.#break();
    return true;
  }

  #open(awaited: number): void {
    this.#awaited.push(awaited);
    this.#context = 'between';
  }

  #close(code: number): boolean {
    if (this.#awaited.pop() !== code) return this.#break();
    this.#valueEnds();
    return true;
  }

  #break(): boolean {
    this.#state = 'broken';
    return false;
  }

  #valueEnds(): void {
    this.#context = 'between';
    if (this.#awaited.length === 0) this.#state = 'closed';
  }
}
