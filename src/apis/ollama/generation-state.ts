import type { TokenLogprob } from '../../contracts/contract.ts';
import type { EventFold, OtherEvent, TokenUsage, ToolCallDelta } from '../../contracts/events.ts';
import { chatLogprobs, plainTokenText } from '../../http/logprobs.ts';
import { inputOf } from '../../requests/call-input.ts';

/** A tool call in Ollama's format: complete, with its arguments as an object. */
export interface ToolCall {
  readonly id: string;
  readonly function: { readonly index: number; readonly name: string; readonly arguments: unknown };
}

/** The logprob of a token and of its alternatives. */
export type Logprob = ReturnType<typeof chatLogprobs>['content'][number];

/** Receives the pieces of a response, in order. */
export interface PieceSink {
  /** With the logprobs of its tokens, if requested. There may be more tokens than the text shows. */
  text(text: string, logprobs: readonly Logprob[] | undefined): void;
  thinking(text: string): void;
  call(call: ToolCall): void;
}

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  json: string;
}

/** Reads the events of a generation. Passes its pieces to the sink; stores the finish reason and the counts. */
export class GenerationState implements EventFold {
  readonly #sink: PieceSink;
  #call: OpenCall | undefined;
  #promptTokens: number | undefined;
  #tokens = 0;
  #usage: TokenUsage | undefined;
  #reason: 'stop' | 'length' = 'stop';

  constructor(sink: PieceSink) {
    this.#sink = sink;
  }

  text(_choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#tokens += tokens;
    if (text === '' && !logprobs) return;
    this.#sink.text(text, logprobs && chatLogprobs(logprobs, plainTokenText).content);
  }

  event(event: OtherEvent): void {
    switch (event.type) {
      case 'reasoning-delta':
        if (event.text !== '') this.#sink.thinking(event.text);
        break;
      case 'tool-call-delta':
        this.#addToCall(event);
        break;
      case 'finish':
        this.#closeCall();
        this.#reason = event.reason === 'length' ? 'length' : 'stop';
        break;
      case 'prompt-tokens':
        this.#promptTokens = (this.#promptTokens ?? 0) + event.count;
        break;
      case 'usage':
        this.#usage = event;
        break;
      case 'prompt-ids':
      case 'prompt-logprobs':
      case 'token-ids':
        break;
    }
  }

  /** Why the generation ended. A tool call counts as `stop`. */
  get reason(): 'stop' | 'length' {
    return this.#reason;
  }

  /** Tokens so far. Without a usage event, the tokens of the deltas are counted. */
  get counts(): { readonly prompt: number | undefined; readonly completion: number } {
    const { promptTokens: prompt = this.#promptTokens, completionTokens: completion = this.#tokens } =
      this.#usage ?? {};
    return { prompt, completion };
  }

  #addToCall({ index, id, name, arguments: fragment }: ToolCallDelta): void {
    if (id !== undefined && name !== undefined) {
      this.#closeCall();
      this.#call = { index, id, name, json: '' };
    }
    if (this.#call) this.#call.json += fragment;
  }

  #closeCall(): void {
    if (!this.#call) return;
    const { index, id, name, json } = this.#call;
    this.#call = undefined;
    this.#sink.call({ id, function: { index, name, arguments: inputOf(json) } });
  }
}
