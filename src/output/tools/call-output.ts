import { isSpace } from './characters.ts';
import type { ToolCallSink } from './tool-parser.ts';

/**
 * Collects what one push finds into few deltas, and holds the one rule about the whitespace around calls:
 *
 * - Text stays as it is, but one line break directly before a call belongs to the call's marker and is dropped.
 * - Whitespace with nothing else between two calls, between the beginning of the response and a call, or between a
 *   call and the end of the response is dropped. A response without a call keeps all of it.
 */
export class CallOutput {
  readonly #mostHeld: number;
  #sink: ToolCallSink | undefined;
  #text = '';
  #arguments = '';
  /** Whitespace of which the next part decides whether it is text. */
  #blank = '';
  /** Whether there was nothing but whitespace since the beginning or since the last call. */
  #isAtEdge = true;
  #hasCalled = false;

  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  set sink(sink: ToolCallSink) {
    this.#sink = sink;
  }

  text(text: string): void {
    let all = this.#blank + text;
    if (this.#isAtEdge && all.length <= this.#mostHeld && isBlank(text)) {
      this.#blank = all;
      return;
    }
    this.#isAtEdge = false;
    this.#blank = '';
    if (all.endsWith('\n')) {
      this.#blank = '\n';
      all = all.slice(0, -1);
    }
    this.#text += all;
  }

  beginCall(name: string, id?: string): void {
    this.#blank = '';
    this.#flushText();
    if (id === undefined) this.#sink?.beginCall(name);
    else this.#sink?.beginCall(name, id);
  }

  callArguments(fragment: string): void {
    this.#arguments += fragment;
  }

  endCall(): void {
    this.#flushArguments();
    this.#sink?.endCall();
    this.#isAtEdge = true;
    this.#hasCalled = true;
  }

  /** Gives what is certain. */
  flush(): void {
    this.#flushText();
    this.#flushArguments();
  }

  /** Gives the rest when nothing more comes. */
  end(): void {
    if (!this.#isAtEdge || !this.#hasCalled) this.#text += this.#blank;
    this.#blank = '';
    this.flush();
  }

  #flushText(): void {
    if (this.#text !== '') this.#sink?.text(this.#text);
    this.#text = '';
  }

  #flushArguments(): void {
    if (this.#arguments !== '') this.#sink?.callArguments(this.#arguments);
    this.#arguments = '';
  }
}

function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}
