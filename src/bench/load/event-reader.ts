import { StringDecoder } from 'node:string_decoder';

/** Reads server-sent events, wherever chunks begin and end. It reads the data, not the names of events. */
export class EventReader {
  readonly #onData: (data: string) => void;
  #decoder: StringDecoder | undefined;
  /** The start of an incomplete line. */
  #line = '';
  #data: string | undefined;
  /** The last character was CR: a LF after it belongs to the same line end. */
  #afterReturn = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(bytes: Buffer): void {
    this.#decoder ??= new StringDecoder('utf8');
    this.pushText(this.#decoder.write(bytes));
  }

  /** The same for text. Latin1 text gives latin1 data. */
  pushText(piece: string): void {
    if (this.#isOneEvent(piece)) {
      this.#onData(piece.slice(6, -2));
      return;
    }
    const text = this.#line === '' ? piece : this.#line + piece;
    let start = this.#afterReturn && this.#line === '' && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#afterReturn = false;
    const hasReturns = text.includes('\r');
    for (;;) {
      const end = hasReturns ? endOfLine(text, start) : text.indexOf('\n', start);
      if (end < 0) break;
      this.#takeLine(text, start, end);
      if (text[end] === '\r' && end + 1 === text.length) this.#afterReturn = true;
      start = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
    }
    this.#line = start === 0 ? text : text.slice(start);
  }

  /** Whether a chunk is exactly one event of one line, as most are. */
  #isOneEvent(piece: string): boolean {
    if (this.#line !== '' || this.#data !== undefined || this.#afterReturn) return false;
    const end = piece.length - 2;
    return piece.startsWith('data: ') && piece.indexOf('\n') === end && piece.endsWith('\n') && !piece.includes('\r');
  }

  /** The end of the stream: emits the rest, which may be half an event. */
  end(): void {
    const line = this.#line;
    this.#line = '';
    if (line !== '') this.#takeLine(line, 0, line.length);
    this.#takeLine('', 0, 0);
  }

  #takeLine(text: string, start: number, end: number): void {
    if (start === end) {
      const data = this.#data;
      this.#data = undefined;
      if (data !== undefined) this.#onData(data);
      return;
    }
    if (!text.startsWith('data', start)) return;
    if (text[start + 4] === ':') {
      const from = text[start + 5] === ' ' ? start + 6 : start + 5;
      this.#add(text.slice(from, end));
    } else if (start + 4 === end) this.#add('');
  }

  #add(data: string): void {
    this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
  }
}

function endOfLine(text: string, start: number): number {
  const feed = text.indexOf('\n', start);
  const back = text.indexOf('\r', start);
  if (feed < 0 || back < 0) return Math.max(feed, back);
  return Math.min(feed, back);
}
