import { StringDecoder } from 'node:string_decoder';

/** Reads server-sent events out of bytes, however they are cut. Only the data matters here, not the names of events. */
export class EventReader {
  readonly #onData: (data: string) => void;
  #decoder: StringDecoder | undefined;
  /** The beginning of a line whose end has not come. */
  #line = '';
  #data: string | undefined;
  /** The last character was CR: a LF right after it belongs to it. */
  #afterReturn = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(bytes: Buffer): void {
    this.#decoder ??= new StringDecoder('utf8');
    this.pushText(this.#decoder.write(bytes));
  }

  /** The same for text. One of latin1 gives data of latin1. */
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

  /** Most pieces are one event of one line. */
  #isOneEvent(piece: string): boolean {
    if (this.#line !== '' || this.#data !== undefined || this.#afterReturn) return false;
    const end = piece.length - 2;
    return piece.startsWith('data: ') && piece.indexOf('\n') === end && piece.endsWith('\n') && !piece.includes('\r');
  }

  /** No more bytes come: gives what has no end yet, which may be half an event. */
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
