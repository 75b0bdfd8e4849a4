import { write, writeSync } from 'node:fs';

interface DestinationOptions {
  /** The file descriptor. */
  readonly to: number;
  /** Whether lines may wait for each other: one system call per line costs more than the line. */
  readonly isBatched: boolean;
  /** Whether other processes write there too: then lines are written in pieces that stay whole. */
  readonly isShared: boolean;
  /** Is told, in words for people, when nothing can be written, and when it can again. */
  readonly tell: (text: string) => void;
}

/** Characters that are written at once, and milliseconds after which fewer are. */
const fullBatch = 16_384;
const longestWait = 100;

/** Bytes and characters that wait where nothing can be written; lines that come then are lost. */
const mostWaiting = 2 ** 20;

/** Tries in a row after which a reader is not only slow. */
const patience = 10;

/**
 * Where the log goes. A place that cannot be written to, such as a file on a full disk or a pipe that nobody reads, stops
 * nothing: it is tried again and again, and lines that find no room meanwhile are counted.
 */
export class LogDestination {
  readonly #options: DestinationOptions;
  #waiting = '';
  /** What a write has left over; it goes before what waits. */
  #rest: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  /** Tries in a row that wrote nothing, and whether somebody was told of them. */
  #failures = 0;
  #isTold = false;
  #lost = 0;

  constructor(options: DestinationOptions) {
    this.#options = options;
    process.once('exit', () => this.#flushSync());
  }

  /** How much waits. */
  get backlog(): number {
    return this.#rest.length + this.#waiting.length;
  }

  write(text: string): void {
    if (this.backlog + text.length > mostWaiting) {
      this.#lost++;
      return;
    }
    this.#waiting += text;
    if (this.#failures > 0) this.#flushLater();
    else if (!this.#options.isBatched && !this.#isWriting) this.#flushSync();
    else if (this.#waiting.length >= fullBatch) this.#flush();
    else this.#flushLater();
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => this.#flush(), longestWait).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    const bytes = this.#take();
    if (bytes.length === 0) return;
    this.#isWriting = true;
    write(this.#options.to, bytes, (error, written) => {
      this.#isWriting = false;
      this.#settle(bytes, error, written);
      if (this.#failures === 0 && this.backlog >= fullBatch) this.#flush();
      else if (this.backlog > 0) this.#flushLater();
    });
  }

  /** Writes all that waits, now; at the end of the process even beside what another thread writes. */
  #flushSync(): void {
    for (let bytes = this.#take(); bytes.length > 0; bytes = this.#take()) {
      try {
        this.#settle(bytes, null, writeSync(this.#options.to, bytes));
      } catch (error) {
        this.#settle(bytes, error as NodeJS.ErrnoException, 0);
        this.#flushLater();
        return;
      }
    }
  }

  #take(): Buffer {
    const bytes = this.#waiting === '' ? this.#rest : Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    const size = this.#options.isShared ? wholeLines(bytes) : bytes.length;
    this.#waiting = '';
    this.#rest = bytes.subarray(size);
    return bytes.subarray(0, size);
  }

  #settle(bytes: Buffer, error: NodeJS.ErrnoException | null, written: number): void {
    const unwritten = bytes.subarray(error ? 0 : written);
    this.#rest = this.#rest.length === 0 ? unwritten : Buffer.concat([unwritten, this.#rest]);
    const { tell } = this.#options;
    if (!error) {
      if (this.#isTold) tell(`conch: the log is written again; lines that were lost: ${this.#lost}`);
      this.#failures = 0;
      this.#isTold = false;
      this.#lost = 0;
      return;
    }
    this.#failures++;
    // A reader that is only slow takes the rest later.
    if (this.#isTold || (error.code === 'EAGAIN' && this.#failures < patience)) return;
    this.#isTold = true;
    tell(`conch: the log cannot be written (${error.code}); requests are answered all the same`);
  }
}

/** What a pipe takes in one piece, whoever else writes to it. */
const largestPiece = 4096;

/** How many bytes of lines are written together; a longer line goes alone. */
function wholeLines(bytes: Buffer): number {
  if (bytes.length <= largestPiece) return bytes.length;
  const end = bytes.lastIndexOf('\n', largestPiece - 1);
  const next = bytes.indexOf('\n');
  if (end >= 0) return end + 1;
  return next < 0 ? bytes.length : next + 1;
}
