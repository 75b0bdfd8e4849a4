const replacementCharacter = 0xfffd;

/** Turns texts that each contain all text so far into what is new. */
export class AccumulatedText {
  #emittedLength = 0;
  #held = '';

  /** The new text. An incomplete character at the end is U+FFFD, which is held back. */
  next(text: string): string {
    let end = text.length;
    while (end > this.#emittedLength && text.charCodeAt(end - 1) === replacementCharacter) end--;
    this.#held = end < text.length ? text.slice(Math.max(end, this.#emittedLength)) : '';
    if (end <= this.#emittedLength) return '';
    const added = text.slice(this.#emittedLength, end);
    this.#emittedLength = end;
    return added;
  }

  /** What was held back, when nothing more comes. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
