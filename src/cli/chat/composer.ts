const fence = '"""';

/** Makes messages of lines. One goes on behind a \ at the end of a line, from """ to """, and where lines are pasted. */
export class Composer {
  #lines: string[] = [];
  #isFenced = false;

  /** Whether a message has begun that has not ended. */
  get isPending(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a line; gives the message that it ends. */
  take(line: string, isPasted = false): string | undefined {
    if (!this.isPending && line.startsWith(fence)) {
      this.#isFenced = true;
      return this.#takeFenced(line.slice(fence.length));
    }
    if (this.#isFenced) return this.#takeFenced(line);
    if (isPasted) return this.#goOn(line);
    return line.endsWith('\\') ? this.#goOn(line.slice(0, -1)) : this.#end(line);
  }

  /** Forgets what has begun. */
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
    // The fences stand on lines of their own as a rule.
    return isFenced ? message.replace(/^\n/, '').replace(/\n$/, '') : message;
  }
}
