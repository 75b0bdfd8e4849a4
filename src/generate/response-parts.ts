import { randomBytes } from 'node:crypto';
import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventFold } from '../contracts/events.ts';
import type { ReasoningParser, ReasoningSink } from '../output/reasoning/reasoning-parser.ts';
import type { SpecialTexts } from '../output/special-texts.ts';
import type { ToolCallSink, ToolParser } from '../output/tools/tool-parser.ts';

/** The parsers of responses; each response gets new ones. */
export interface ResponseParsers {
  newReasoning(): ReasoningParser | undefined;
  newTools(): ToolParser | undefined;
  /** Removes the special tokens that the backend returns only because the parsers need their markers. */
  newSpecials(): SpecialTexts | undefined;
  /** What an id of a call looks like. */
  readonly idStyle: 'openai' | 'mistral';
  /** Whether the response is complete with its first call. */
  readonly isSingleCall: boolean;
  /** Whether the response must be read token by token: to end with its first call, or to count reasoning tokens. */
  readonly needsSteps: boolean;
}

/** Separates reasoning and tool calls from the text of one response. Text after reasoning may still be a call. */
export class ResponseParts implements ToolCallSink, ReasoningSink {
  readonly #reasoning: ReasoningParser | undefined;
  readonly #tools: ToolParser | undefined;
  readonly #specials: SpecialTexts | undefined;
  readonly #parsers: ResponseParsers;
  #isComplete = false;
  #calls = 0;
  #choice = 0;
  #out: EventFold | undefined;
  #text = '';
  /** Whether the current delta contained reasoning, or a part of the response. */
  #hasReasoned = false;
  #hasResponded = false;
  #isReasoning = false;
  #reasoningTokens = 0;

  constructor(parsers: ResponseParsers) {
    this.#parsers = parsers;
    this.#reasoning = parsers.newReasoning();
    this.#tools = parsers.newTools();
    this.#specials = parsers.newSpecials();
  }

  /** Whether nothing that follows belongs to the response. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** Undefined where there was no reasoning. */
  get reasoningTokens(): number | undefined {
    return this.#reasoningTokens > 0 ? this.#reasoningTokens : undefined;
  }

  /** Reads a delta. */
  push(
    out: EventFold,
    choice: number,
    text: string,
    tokens: number,
    logprobs: readonly TokenLogprob[] | undefined,
  ): void {
    this.#begin(choice, out);
    this.#read(this.#specials ? this.#specials.push(text) : text);
    // Tokens without text yet belong to what came before them.
    if (this.#hasReasoned) this.#isReasoning = true;
    else if (this.#hasResponded) this.#isReasoning = false;
    if (this.#isReasoning) this.#reasoningTokens += tokens;
    this.#give(tokens, logprobs);
  }

  /** No more text comes: what was held back is given. */
  end(choice: number, out: EventFold): void {
    this.#begin(choice, out);
    if (this.#specials) this.#read(this.#specials.flush());
    this.#reasoning?.end(this.#reasoningSink);
    this.#tools?.end(this);
    this.#give(0, undefined);
  }

  text(text: string): void {
    if (!this.#isComplete) this.#text += text;
  }

  beginCall(name: string, id = callId(this.#parsers.idStyle)): void {
    if (this.#isComplete) return;
    this.#flushText();
    this.#out?.event({ type: 'tool-call-delta', choice: this.#choice, index: this.#calls++, id, name, arguments: '' });
  }

  callArguments(fragment: string): void {
    if (this.#isComplete) return;
    this.#out?.event({
      type: 'tool-call-delta',
      choice: this.#choice,
      index: this.#calls - 1,
      arguments: fragment,
    });
  }

  endCall(): void {
    if (this.#parsers.isSingleCall) this.#isComplete = true;
  }

  reasoning(text: string): void {
    this.#hasReasoned = true;
    this.#flushText();
    this.#out?.event({ type: 'reasoning-delta', choice: this.#choice, text });
  }

  readonly #reasoningSink: ReasoningSink = {
    reasoning: (text) => this.reasoning(text),
    text: (text) => this.#readResponse(text),
  };

  #read(text: string): void {
    if (text === '') return;
    if (this.#reasoning) this.#reasoning.push(text, this.#reasoningSink);
    else this.#readResponse(text);
  }

  #readResponse(text: string): void {
    this.#hasResponded = true;
    if (this.#tools) this.#tools.push(text, this);
    else this.text(text);
  }

  #begin(choice: number, out: EventFold): void {
    this.#choice = choice;
    this.#out = out;
    this.#hasReasoned = false;
    this.#hasResponded = false;
  }

  /** Text before a call or reasoning is before it in the response too. */
  #flushText(): void {
    if (this.#text === '') return;
    this.#out?.text(this.#choice, this.#text, 0, undefined);
    this.#text = '';
  }

  /** The rest of the text, with the tokens and logprobs of the delta that all of it came from. */
  #give(tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '' || tokens > 0 || logprobs) this.#out?.text(this.#choice, text, tokens, logprobs);
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An id like OpenAI's, or one of nine characters, which Mistral's templates require. */
function callId(style: ResponseParsers['idStyle']): string {
  const length = style === 'mistral' ? 9 : 24;
  let id = '';
  for (const byte of randomBytes(length)) id += letters[byte % letters.length];
  return style === 'mistral' ? id : `call_${id}`;
}
