import { MarkerFinder } from '../marker-finder.ts';
import { CallOutput } from './call-output.ts';
import { isSpace, NO_CHARACTER, QUOTE } from './characters.ts';
import { JsonScanner, type JsonState } from './json-scanner.ts';
import type { OfferedTool, ToolCallSink, ToolParser, ToolParserOptions } from './tool-parser.ts';

/** A part of the grammar of a response. It pauses at the end of the text so far, and continues with the next piece. */
export type ReadGenerator<T> = Generator<undefined, T, undefined>;

/** How a whole response is read: its text, and the calls in it. */
export type CompletionGrammar = (reader: CompletionReader) => ReadGenerator<void>;

/**
 * Reads a response by a grammar that is written as if the whole text were there.
 *
 * What is read is **held** until it is known what it is: `drop` forgets it as the markup of a call, `giveHeld` gives it
 * as text. A reading that fails has put back what does not belong to it, so that nothing is lost and each character
 * is looked at a bounded number of times. Past `mostHeld` characters there is nothing more to read: the readings fail,
 * and what is held becomes text.
 */
export class CompletionReader implements ToolParser {
  readonly mostHeld: number;
  readonly #tools: ReadonlyMap<string, OfferedTool>;
  readonly #output: CallOutput;
  readonly #run: ReadGenerator<void>;
  /** The piece of text that is being read, how far it was read, and from where on it is held. */
  #piece = '';
  #at = 0;
  #heldFrom = 0;
  /** What is held of earlier pieces. */
  #held = '';
  #hasEnded = false;

  constructor({ tools, mostHeld }: ToolParserOptions, grammar: CompletionGrammar) {
    // Without any, a marker of one character could never be passed.
    this.mostHeld = Math.max(1, mostHeld);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#output = new CallOutput(mostHeld);
    this.#run = grammar(this);
  }

  push(text: string, sink: ToolCallSink): void {
    this.#output.sink = sink;
    this.#piece = text;
    this.#run.next();
    this.#held += this.#piece.slice(this.#heldFrom);
    this.#piece = '';
    this.#at = 0;
    this.#heldFrom = 0;
    this.#output.flush();
  }

  end(sink: ToolCallSink): void {
    this.#output.sink = sink;
    this.#hasEnded = true;
    this.#run.next();
    this.giveHeld();
    this.#output.end();
  }

  /** Whether the text has ended and all of it was read. */
  get isOver(): boolean {
    return this.#hasEnded && this.#at >= this.#piece.length;
  }

  offered(name: string): OfferedTool | undefined {
    return this.#tools.get(name);
  }

  /** Begins a call; what is held was its markup. */
  beginCall(name: string, id?: string): void {
    this.drop();
    this.#output.beginCall(name, id);
  }

  readonly giveArguments = (fragment: string): void => this.#output.callArguments(fragment);

  readonly giveText = (text: string): void => this.#output.text(text);

  endCall(): void {
    this.#output.endCall();
  }

  drop(): void {
    this.#held = '';
    this.#heldFrom = this.#at;
  }

  /** Gives what is held as text, or as what else it turned out to be. */
  giveHeld(give: (text: string) => void = this.giveText): void {
    this.#giveAllBut(0, give);
  }

  /** Puts back the last characters that were read; they must still be held. */
  putBack(count: number): void {
    const ofPiece = this.#at - this.#heldFrom;
    if (count <= ofPiece) {
      this.#at -= count;
      return;
    }
    const remaining = this.#held.length - (count - ofPiece);
    this.#piece = this.#held.slice(remaining) + this.#piece.slice(this.#heldFrom);
    this.#held = this.#held.slice(0, remaining);
    this.#at = 0;
    this.#heldFrom = 0;
  }

  /** The next character, which stays unread; NO_CHARACTER where the response ends or no more may be held. */
  *peek(): ReadGenerator<number> {
    while (this.#at >= this.#piece.length) {
      if (this.#hasEnded) return NO_CHARACTER;
      yield;
    }
    return this.#mayHold() > 0 ? this.#piece.charCodeAt(this.#at) : NO_CHARACTER;
  }

  /** Reads the character that was peeked at. */
  skip(): void {
    this.#at += 1;
  }

  *skipSpace(): ReadGenerator<void> {
    while (isSpace(yield* this.peek())) this.#at += 1;
  }

  /** Reads exactly this text, or nothing. */
  *literal(expected: string): ReadGenerator<boolean> {
    for (let count = 0; count < expected.length; count++) {
      if ((yield* this.peek()) === expected.charCodeAt(count)) this.#at += 1;
      else {
        this.putBack(count);
        return false;
      }
    }
    return true;
  }

  /** Reads the first of these texts that comes next, or nothing. */
  *oneOf(expected: readonly string[]): ReadGenerator<string | undefined> {
    for (const text of expected) if (yield* this.literal(text)) return text;
    return undefined;
  }

  /** Reads the characters that belong to a word. */
  *word(belongs: (code: number) => boolean): ReadGenerator<string> {
    let word = '';
    for (;;) {
      const code = yield* this.peek();
      if (code === NO_CHARACTER || !belongs(code)) return word;
      word += String.fromCharCode(code);
      this.#at += 1;
    }
  }

  /** Reads up to and with the first of some markers: the text before it, and the marker. */
  *heldUntil(
    markers: readonly string[],
  ): ReadGenerator<{ readonly text: string; readonly marker: string } | undefined> {
    const finder = new MarkerFinder(markers);
    let text = '';
    while ((yield* this.peek()) !== NO_CHARACTER) {
      const from = this.#at;
      this.#at = finder.find(this.#piece, from, Math.min(this.#piece.length, from + this.#mayHold()));
      text += this.#piece.slice(from, this.#at);
      const marker = finder.found;
      if (marker !== undefined) return { text: text.slice(0, -marker.length), marker };
    }
    return undefined;
  }

  /** Reads up to and with a marker: the text before it. What ends the call before it stays unread. */
  *heldBefore(marker: string, ends: readonly string[]): ReadGenerator<string | undefined> {
    const found = yield* this.heldUntil([marker, ...ends]);
    if (found?.marker === marker) return found.text;
    if (found) this.putBack(found.marker.length);
    return undefined;
  }

  /** Reads one JSON value: its text. */
  *jsonValue(): ReadGenerator<string | undefined> {
    const scanner = new JsonScanner();
    let text = '';
    while (scanner.state === 'open' && (yield* this.peek()) !== NO_CHARACTER) {
      const from = this.#at;
      this.#at = scanner.scan(this.#piece, from, Math.min(this.#piece.length, from + this.#mayHold()));
      text += this.#piece.slice(from, this.#at);
    }
    return scanner.state === 'closed' ? text : undefined;
  }

  /** Reads one JSON string: its value. */
  *jsonString(): ReadGenerator<string | undefined> {
    if ((yield* this.peek()) !== QUOTE) return undefined;
    const text = yield* this.jsonValue();
    try {
      return text === undefined ? undefined : (JSON.parse(text) as string);
    } catch {
      return undefined;
    }
  }

  /**
   * Gives all up to a marker as it comes, and holds the marker: undefined where the response ended first, which gives
   * the rest.
   */
  *passUntil(finder: MarkerFinder, give: (text: string) => void): ReadGenerator<string | undefined> {
    finder.reset();
    for (;;) {
      this.#at = finder.find(this.#piece, this.#at, this.#piece.length);
      const marker = finder.found;
      this.#giveAllBut(marker?.length ?? (this.#hasEnded ? 0 : finder.partial), give);
      if (marker !== undefined || this.#hasEnded) return marker;
      yield;
    }
  }

  /** Gives text up to the next marker, beginning with what was held and did not become a call. */
  textUntil(finder: MarkerFinder): ReadGenerator<string | undefined> {
    this.giveHeld();
    return this.passUntil(finder, this.giveText);
  }

  /** Gives a JSON value as it comes: `open` where the response ended within it. */
  *passJson(scanner: JsonScanner, give: (text: string) => void): ReadGenerator<JsonState> {
    for (;;) {
      this.#at = scanner.scan(this.#piece, this.#at, this.#piece.length);
      this.#giveAllBut(0, give);
      if (scanner.state !== 'open' || this.#hasEnded) return scanner.state;
      yield;
    }
  }

  #mayHold(): number {
    return this.mostHeld - this.#held.length - (this.#at - this.#heldFrom);
  }

  #giveAllBut(remaining: number, give: (text: string) => void): void {
    const ofPiece = this.#at - this.#heldFrom;
    let output: string;
    if (remaining <= ofPiece) {
      output = this.#held + this.#piece.slice(this.#heldFrom, this.#at - remaining);
      this.#held = '';
      this.#heldFrom = this.#at - remaining;
    } else {
      const all = this.#held + this.#piece.slice(this.#heldFrom, this.#at);
      output = all.slice(0, all.length - remaining);
      this.#held = all.slice(all.length - remaining);
      this.#heldFrom = this.#at;
    }
    if (output !== '') give(output);
  }
}
