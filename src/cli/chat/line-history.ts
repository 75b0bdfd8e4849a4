import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The number of stored lines; the file is rewritten when it has twice as many. */
const most = 1000;

/** The typed lines, stored in a file for the next chat. Errors of the file are ignored. */
export class LineHistory {
  readonly #file: string;
  readonly #lines: readonly string[];

  constructor(file: string) {
    this.#file = file;
    const lines = linesIn(file);
    this.#lines = lines.slice(-most);
    if (lines.length > 2 * most) this.#write(() => writeFileSync(file, `${this.#lines.join('\n')}\n`));
  }

  /** The newest first, as line editors want them. */
  newestFirst(): string[] {
    return this.#lines.toReversed();
  }

  add(line: string): void {
    if (line.trim() === '') return;
    this.#write(() => {
      mkdirSync(dirname(this.#file), { recursive: true });
      // Only the owner may read the prompts.
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
    });
  }

  #write(write: () => void): void {
    try {
      write();
    } catch {
      // The lines of this session are still in the editor.
    }
  }
}

function linesIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
