import { write, writeSync } from 'node:fs';

interface DestinationOptions {
  /** The file descriptor. */
  readonly to: number;
  /** Whether lines are buffered: one system call per line costs more than the line. */
  readonly isBatched: boolean;
  /** Whether other processes write there too: lines are then written in atomic chunks. */
  readonly isShared: boolean;
  /** Called with a message for users when writing fails, and when it works again. */
  readonly tell: (text: string) => void;
}

/** Characters that are written at once, and milliseconds after which fewer are written. */
const fullBatch = 16_384;
const longestWait = 100;

/** The limit on buffered bytes and characters while writing fails. Further lines are lost. */
const mostWaiting = 2 ** 20;

/** Failed attempts in a row after which the reader is considered gone, not slow. */
const patience = 10;

/**
 * The destination of the log. A failed write, for example to a full disk or a pipe without a reader, stops nothing: it
 * is retried, and lines beyond the buffer are counted as lost.
 */
export class LogDestination {
  readonly #options: DestinationOptions;
  #waiting = '';
  /** The rest of a partial write; it precedes the buffered lines. */
  #rest: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  /** Failed attempts in a row, and whether they were reported. */
  #failures = 0;
  #isReported = false;
  #lost = 0;

  constructor(options: DestinationOptions) {
    this.#options = options;
    process.once('exit', () => this.#flushSync());
  }

  /** The size of the buffer. */
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

  /** Writes the whole buffer now; at the end of the process even while another thread writes. */
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
      if (this.#isReported) tell(`conch: writing the log works again; lost lines: ${this.#lost}`);
      this.#failures = 0;
      this.#isReported = false;
      this.#lost = 0;
      return;
    }
    this.#failures++;
    // A slow reader accepts the rest later.
    if (this.#isReported || (error.code === 'EAGAIN' && this.#failures < patience)) return;
    this.#isReported = true;
    tell(`conch: writing the log failed (${error.code}); requests are still served`);
  }
}

/** The size of an atomic write to a pipe with several writers. */
const largestPiece = 4096;

/** How many bytes of lines are written together. A longer line is written separately. */
function wholeLines(bytes: Buffer): number {
  if (bytes.length <= largestPiece) return bytes.length;
  const end = bytes.lastIndexOf('\n', largestPiece - 1);
  const next = bytes.indexOf('\n');
  if (end >= 0) return end + 1;
  return next < 0 ? bytes.length : next + 1;
}
