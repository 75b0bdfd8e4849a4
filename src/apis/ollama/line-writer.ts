import type { TokenLogprob } from '../../contracts/contract.ts';
import { type GenerateEvent, giveEvent } from '../../contracts/events.ts';
import type { ApiError } from '../../errors.ts';
import type { ResponseWriter } from '../../http/response-writer.ts';
import { GenerationState, type Logprob, type PieceSink, type ToolCall } from './generation-state.ts';
import { headOf, type LineContext, lastOf, type Piece } from './response-lines.ts';

interface WriterOptions extends LineContext {
  /** Renames the fields in an error to Ollama's. */
  readonly rename: (error: ApiError) => ApiError;
}

/** Marks the text in a prepared line. JSON writes it as an escape, so it cannot occur elsewhere. */
const textMark = '\u0000';

/** The parts of a line before and after its text. */
type PreparedLine = readonly [string, string];

/** Writes the events of a generation as Ollama's stream: one object per line. */
export class LineWriter implements ResponseWriter, PieceSink {
  readonly contentType = 'application/x-ndjson';
  readonly #options: WriterOptions;
  readonly #state = new GenerationState(this);
  /** All lines but the last have the time of the start, so they are prepared once. */
  readonly #head: object;
  readonly #text: PreparedLine;
  #thinking: PreparedLine | undefined;
  /** The lines of the current event. */
  #written = '';

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#head = headOf(options);
    this.#text = this.#prepared({ text: textMark });
  }

  begin(events: readonly GenerateEvent[]): string {
    this.#options.clock.first();
    let lines = '';
    for (const event of events) lines += this.write(event);
    return lines;
  }

  delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#written = '';
    this.#state.text(choice, text, tokens, logprobs);
    return this.#written;
  }

  write(event: GenerateEvent): string {
    this.#written = '';
    giveEvent(event, this.#state);
    return this.#written;
  }

  end(): string {
    return `${JSON.stringify(lastOf(this.#options, {}, this.#state))}\n`;
  }

  /** No `done` line follows an error, so that clients do not take the response for complete. */
  fail(error: ApiError): string {
    return `${JSON.stringify({ error: this.#options.rename(error).message })}\n`;
  }

  text(text: string, logprobs: readonly Logprob[] | undefined): void {
    const [before, after] = this.#text;
    this.#written += logprobs ? this.#line({ text, logprobs }) : before + JSON.stringify(text) + after;
  }

  thinking(text: string): void {
    this.#thinking ??= this.#prepared({ thinking: textMark });
    const [before, after] = this.#thinking;
    this.#written += before + JSON.stringify(text) + after;
  }

  call(call: ToolCall): void {
    this.#written += this.#line({ calls: [call] });
  }

  #line(piece: Piece): string {
    return `${JSON.stringify({ ...this.#head, ...this.#options.shape(piece), done: false })}\n`;
  }

  #prepared(piece: Piece): PreparedLine {
    const [before, after] = this.#line(piece).split(JSON.stringify(textMark));
    return [before as string, after as string];
  }
}
