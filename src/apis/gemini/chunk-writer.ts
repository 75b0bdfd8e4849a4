import type { TokenLogprob } from '../../contracts/contract.ts';
import { type GenerateEvent, giveEvent } from '../../contracts/events.ts';
import type { ApiError } from '../../errors.ts';
import type { ResponseWriter } from '../../http/response-writer.ts';
import { candidateOf, type ResponseHead, type ResponsePart } from './candidate.ts';
import { errorBody } from './error-body.ts';
import { type PartSink, ResponseState } from './response-state.ts';

interface WriterOptions {
  readonly head: ResponseHead;
  readonly choices: number;
  readonly includesThoughts: boolean;
  /** How chunks are separated: server-sent events, or the items of a JSON array. */
  readonly framing: 'events' | 'array';
  /** Renames the field of an error to its name in this API. */
  readonly rename: (error: ApiError) => ApiError;
}

/** Marks the position of the text in a prepared chunk. JSON escapes it, so it cannot occur elsewhere. */
const textMark = '\u0000';

/** The parts of a chunk before and after its text. */
type PreparedChunk = readonly [string, string];

/** Writes the events of a generation as Google's stream: each chunk is a response with the next part of a candidate. */
export class ChunkWriter implements ResponseWriter, PartSink {
  readonly contentType?: string;
  readonly #options: WriterOptions;
  readonly #state: ResponseState;
  /** The chunk of a text, for each candidate. */
  readonly #texts: readonly PreparedChunk[];
  /** The output of the current event. */
  #written = '';
  #hasChunks = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#state = new ResponseState(this, options);
    this.#texts = Array.from({ length: options.choices }, (_, choice) => this.#prepared(choice));
    if (options.framing === 'array') this.contentType = 'application/json; charset=utf-8';
  }

  begin(events: readonly GenerateEvent[]): string {
    let chunks = '';
    for (const event of events) chunks += this.write(event);
    return chunks;
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

  /** The last chunk has the finish reasons and the usage together: clients read both from the same chunk. */
  end(): string {
    const candidates = this.#state.endings().map((ending, index) => candidateOf(index, [{ text: '' }], { ending }));
    const last = { candidates, usageMetadata: this.#state.usage(), ...this.#options.head };
    return this.#framed(JSON.stringify(last)) + this.#closing;
  }

  /** No finish reason comes with an error, so that no client takes the response for complete. */
  fail(error: ApiError): string {
    return this.#framed(JSON.stringify(errorBody(this.#options.rename(error)))) + this.#closing;
  }

  text(choice: number, text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    const [before, after] = this.#texts[choice] as PreparedChunk;
    this.#written += this.#framed(
      logprobs ? this.#chunk(choice, { text }, logprobs) : before + JSON.stringify(text) + after,
    );
  }

  thought(choice: number, text: string): void {
    this.#written += this.#framed(this.#chunk(choice, { text, thought: true }));
  }

  call(choice: number, part: ResponsePart): void {
    this.#written += this.#framed(this.#chunk(choice, part));
  }

  get #closing(): string {
    return this.#options.framing === 'array' ? ']' : '';
  }

  #framed(json: string): string {
    if (this.#options.framing === 'events') return `data: ${json}\n\n`;
    const start = this.#hasChunks ? ',\n' : '[';
    this.#hasChunks = true;
    return start + json;
  }

  #chunk(choice: number, part: ResponsePart, logprobs?: readonly TokenLogprob[]): string {
    return JSON.stringify({ candidates: [candidateOf(choice, [part], { logprobs })], ...this.#options.head });
  }

  #prepared(choice: number): PreparedChunk {
    const [before, after] = this.#chunk(choice, { text: textMark }).split(JSON.stringify(textMark));
    return [before as string, after as string];
  }
}
