/** Joins the parts of a text that markers parted: each begins a new line, as the markers themselves are gone. */
export class JoinedParts {
  #hasText = false;
  #isNext = false;

  beginPart(): void {
    this.#isNext = this.#hasText;
  }

  /** More of the part that began last, as it is to be given. */
  join(text: string): string {
    const joined = this.#isNext ? `\n${text}` : text;
    this.#isNext = false;
    this.#hasText = true;
    return joined;
  }
}
