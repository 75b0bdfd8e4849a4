const replacementCharacter = 0xfffd;

/** Turns a text that comes whole every time, and longer every time, into what is new in it. */
export class AccumulatedText {
  #given = 0;
  #held = '';

  /** What is new. A character whose bytes are not all there yet ends the text as U+FFFD, which is held back. */
  next(text: string): string {
    let end = text.length;
    while (end > this.#given && text.charCodeAt(end - 1) === replacementCharacter) end--;
    this.#held = end < text.length ? text.slice(Math.max(end, this.#given)) : '';
    if (end <= this.#given) return '';
    const added = text.slice(this.#given, end);
    this.#given = end;
    return added;
  }

  /** What was held back, when nothing more comes. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
