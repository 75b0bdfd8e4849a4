import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines that are kept; twice as many may stand in the file before it is written anew. */
const most = 1000;

/** The lines that were typed, in a file for the next time. A file that cannot be used is no reason not to talk. */
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
      // What people ask is theirs alone.
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
