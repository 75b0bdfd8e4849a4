import type { TokenLogprob } from '../contracts/contract.ts';
import type { GenerateEvent, TokenUsage, ToolCallDelta } from '../contracts/events.ts';
import type { ApiError } from '../errors.ts';
import { type AnswerOptions, eventOf, headFields, streamEnd, usageOf } from './answer.ts';
import type { AnswerWriter } from './answer-writer.ts';

/** Stands where the text of a prepared chunk goes; JSON writes it as an escape, so it cannot occur elsewhere. */
const textMark = '\u0000';

/** Writes the events of an answer as server-sent chunks. A plain text delta is its text between two prepared pieces. */
export class AnswerChunks implements AnswerWriter {
  readonly #options: AnswerOptions;
  /** What stands before and after a plain delta's text, for each choice. */
  readonly #plain: readonly (readonly [string, string])[];
  readonly #logprobs: readonly ((tokens: readonly TokenLogprob[]) => object)[];
  #promptTokens = 0;
  #completionTokens = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
    const { shape, choices, tokenText } = options;
    const indexes = Array.from({ length: choices }, (_, index) => index);
    this.#logprobs = indexes.map(() => shape.logprobs(tokenText));
    this.#plain = indexes.map((index) => {
      const [before, after] = this.#chunk(index, shape.delta(textMark)).split(JSON.stringify(textMark));
      return [before as string, after as string];
    });
  }

  begin(events: readonly GenerateEvent[]): string {
    const { choices, shape } = this.#options;
    for (const event of events) if (event.type === 'prompt-tokens') this.#promptTokens += event.count;
    let text = '';
    for (let index = 0; shape.opening && index < choices; index++) text += this.#chunk(index, shape.opening);
    for (const event of events) if (event.type !== 'prompt-tokens') text += this.write(event);
    return text;
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#delta(event.choice, event.text, event.tokens, event.logprobs);
      case 'reasoning-delta':
        return this.#chunk(event.choice, this.#options.shape.reasoningDelta(event.text));
      case 'tool-call-delta':
        return this.#chunk(event.choice, this.#options.shape.callDelta(callDelta(event)));
      case 'finish':
        return this.#chunk(event.choice, this.#options.shape.closing, null, event.reason);
      case 'prompt-tokens':
        this.#promptTokens += event.count;
        return '';
      case 'usage':
        return this.#usage(event);
    }
  }

  end(): string {
    return streamEnd;
  }

  /** No end mark comes after a fault, so that nobody takes the answer for a whole one. */
  fail(fault: ApiError): string {
    return eventOf(fault.body());
  }

  #delta(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): string {
    if (logprobs === undefined && !this.#options.usage.onEveryChunk) {
      if (text === '') return '';
      const [before, after] = this.#plain[choice] as readonly [string, string];
      return before + JSON.stringify(text) + after;
    }
    this.#completionTokens += tokens;
    if (text === '' && !logprobs?.length) return '';
    const figures = logprobs ? (this.#logprobs[choice]?.(logprobs) ?? null) : null;
    return this.#chunk(choice, this.#options.shape.delta(text), figures);
  }

  #chunk(index: number, content: object, logprobs: object | null = null, reason: string | null = null): string {
    const { head, shape, usage } = this.#options;
    const chunk = headFields(head, shape.chunkObject);
    chunk['choices'] = [{ index, ...content, logprobs, finish_reason: reason }];
    if (usage.onEveryChunk) chunk['usage'] = this.#usageSoFar();
    else if (usage.inTheEnd) chunk['usage'] = null;
    return eventOf(chunk);
  }

  #usageSoFar() {
    return usageOf({ promptTokens: this.#promptTokens, completionTokens: this.#completionTokens });
  }

  #usage(tokens: TokenUsage): string {
    const { head, shape, usage } = this.#options;
    if (!usage.inTheEnd) return '';
    const chunk = headFields(head, shape.chunkObject);
    return eventOf({ ...chunk, choices: [], usage: usageOf(tokens) });
  }
}

/** The name comes once, with the id; then parts of the arguments. */
function callDelta({ index, id, name, arguments: fragment }: ToolCallDelta): object {
  if (id === undefined) return { index, function: { arguments: fragment } };
  return { index, id, type: 'function', function: { name, arguments: fragment } };
}
