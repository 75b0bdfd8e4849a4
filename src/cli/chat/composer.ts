const fence = '"""';

/** Joins lines to messages. A message continues after a \ at the end of a line, from """ to """, and while lines are pasted. */
export class Composer {
  #lines: string[] = [];
  #isFenced = false;

  /** Whether a message has started and not ended. */
  get isPending(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a line; returns the message if the line ends it. */
  take(line: string, isPasted = false): string | undefined {
    if (!this.isPending && line.startsWith(fence)) {
      this.#isFenced = true;
      return this.#takeFenced(line.slice(fence.length));
    }
    if (this.#isFenced) return this.#takeFenced(line);
    if (isPasted) return this.#goOn(line);
    return line.endsWith('\\') ? this.#goOn(line.slice(0, -1)) : this.#end(line);
  }

  /** Discards the started message. */
  clear(): void {
    this.#lines = [];
    this.#isFenced = false;
  }

  #takeFenced(line: string): string | undefined {
    const trimmed = line.trimEnd();
    return trimmed.endsWith(fence) ? this.#end(trimmed.slice(0, -fence.length)) : this.#goOn(line);
  }

  #goOn(line: string): undefined {
    this.#lines.push(line);
    return undefined;
  }

  #end(line: string): string {
    const message = [...this.#lines, line].join('\n');
    const isFenced = this.#isFenced;
    this.clear();
    // The fences are usually on lines of their own.
    return isFenced ? message.replace(/^\n/, '').replace(/\n$/, '') : message;
  }
}
