import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Composer } from './composer.ts';

/** The streams of a terminal. */
export interface Console {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
}

interface EditorOptions extends Console {
  readonly prompt: string;
  /** The prompt of a line that continues a message. */
  readonly continuation: string;
  /** Whether the terminal marks the start and end of pasted text. */
  readonly marksPastes: boolean;
  /** Printed at the first Ctrl-C. */
  readonly hint: string;
  /** Earlier lines, the newest first. */
  readonly history?: string[] | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  /** The completions of a line, for Tab. */
  readonly complete: (line: string) => string[];
}

const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' };
const noMarks = { on: '', off: '' };

/** Reads messages from a terminal. Typed text is not shown while a response arrives. */
export class LineEditor {
  readonly #options: EditorOptions;
  readonly #screen: Screen;
  readonly #lines: Interface;
  readonly #marks: typeof pasteMarks;
  readonly #composer = new Composer();
  readonly #early: string[] = [];
  #waiting: ((message: string | undefined) => void) | undefined;
  #interrupt: (() => void) | undefined;
  #isPasting = false;
  #wasInterrupted = false;
  #isClosed = false;

  constructor(options: EditorOptions) {
    this.#options = options;
    const { input, output, history = [], complete } = options;
    this.#marks = options.marksPastes ? pasteMarks : noMarks;
    this.#screen = new Screen(output);
    this.#lines = createInterface({
      input,
      output: this.#screen,
      terminal: true,
      history,
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string): [string[], string] => [complete(line), line],
    });
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('SIGINT', () => this.#interrupted());
    this.#lines.on('close', () => this.#closed());
    input.on('keypress', (_: unknown, key: { readonly name?: string } | undefined) => {
      if (key?.name === 'paste-start') this.#isPasting = true;
      if (key?.name === 'paste-end') this.#isPasting = false;
    });
    output.write(this.#marks.on);
  }

  /** The next message; undefined when there will be none: after Ctrl-D, or Ctrl-C twice. */
  async read(): Promise<string | undefined> {
    const early = this.#early.shift();
    if (early !== undefined) {
      this.#options.output.write(`${this.#options.prompt}${early}\n`);
      return early;
    }
    if (this.#isClosed) return undefined;
    this.#screen.isMuted = false;
    this.#prompt();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Does some work that Ctrl-C stops. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    this.#interrupt = () => stop.abort();
    try {
      return await work(stop.signal);
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Ends it, and the work that is being done. */
  close(): void {
    this.#interrupt?.();
    this.#lines.close();
  }

  #prompt(): void {
    this.#lines.setPrompt(this.#composer.isPending ? this.#options.continuation : this.#options.prompt);
    this.#lines.prompt(true);
  }

  #take(line: string): void {
    this.#wasInterrupted = false;
    this.#options.onLine?.(line);
    const message = this.#composer.take(line, this.#isPasting);
    if (message !== undefined) this.#give(message);
    else if (this.#waiting) this.#prompt();
  }

  #give(message: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#screen.isMuted = true;
    if (waiting) waiting(message);
    else if (message !== undefined) this.#early.push(message);
  }

  #interrupted(): void {
    if (this.#interrupt) this.#interrupt();
    else if (this.#waiting === undefined) return;
    else if (this.#lines.line !== '' || this.#composer.isPending) this.#startOver();
    else if (this.#wasInterrupted) this.#lines.close();
    else {
      this.#wasInterrupted = true;
      this.#options.output.write(`\n${this.#options.hint}\n`);
      this.#prompt();
    }
  }

  /** Discards the typed part of a message. */
  #startOver(): void {
    this.#wasInterrupted = false;
    this.#composer.clear();
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#options.output.write('\n');
    this.#prompt();
  }

  #closed(): void {
    this.#isClosed = true;
    this.#options.output.write(this.#waiting ? `\n${this.#marks.off}` : this.#marks.off);
    this.#give(undefined);
  }
}

/** The output of the line editor. While muted, it draws nothing, so that it does not disturb a response. */
class Screen extends Writable {
  isMuted = true;
  readonly #output: Console['output'];

  constructor(output: Console['output']) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on('resize', () => this.emit('resize'));
  }

  get columns(): number | undefined {
    return this.isMuted ? undefined : this.#output.columns;
  }

  override _write(text: string | Buffer, _: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#output.write(text);
    done();
  }
}
