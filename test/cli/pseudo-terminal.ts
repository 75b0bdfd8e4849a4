import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { inRoot, pythonProgram } from '../support/environment.ts';

/** The built program on a terminal of its own. */
export class PseudoTerminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #raw = '';
  #seen = 0;
  #isClosed = false;
  #look: () => void = () => undefined;
  /** The code that the program ends with. */
  readonly exitCode: Promise<number | null>;

  constructor(flags: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
    this.#child = spawn(
      pythonProgram(),
      [inRoot('test/cli/pseudo_terminal.py'), process.execPath, inRoot('dist/main.js'), ...flags],
      { env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...environment } },
    );
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#raw += text;
      this.#look();
    });
    this.#child.stdin.on('error', () => undefined);
    this.exitCode = once(this.#child, 'close').then(([code]) => {
      this.#isClosed = true;
      this.#look();
      return code as number | null;
    });
  }

  /** All that was shown, with the signs that steer a terminal. */
  get raw(): string {
    return this.#raw;
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for a text, and gives what was shown since the last time, up to its end, as a person reads it. */
  async until(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const displayed = stripVTControlCharacters(this.#raw).replaceAll('\r', '');
        const at = displayed.indexOf(text, this.#seen);
        if (at < 0) {
          if (this.#isClosed) reject(new Error(`It ended without ${JSON.stringify(text)}: ${displayed}`));
          return;
        }
        const since = displayed.slice(this.#seen, at + text.length);
        this.#seen = at + text.length;
        this.#look = () => undefined;
        resolve(since);
      };
      this.#look();
    });
  }

  /** Closes the terminal, which ends what runs on it. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.exitCode;
  }
}
