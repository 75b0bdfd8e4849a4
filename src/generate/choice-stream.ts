import type { FinishReason, GenerateDecoder, GenerateSink, IdLogprob, TokenLogprob } from '../contracts/contract.ts';
import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { WaitFault } from '../kserve/wait-fault.ts';
import type { AnswerText } from '../output/answer-text.ts';
import { withTokenBytes } from '../output/token-bytes.ts';
import type { InferenceWatch } from '../request-watch.ts';
import type { TokenTable } from '../tokenizer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { type FaultPlace, generationFault } from './faults.ts';
import { type Tally, usageOf } from './tally.ts';

interface ChoiceOptions {
  /** The number of the inference's first answer. */
  readonly choice: number;
  /** How many answers the inference gives. */
  readonly answers: number;
  readonly responses: AsyncIterableIterator<InferResponse[]>;
  readonly decoder: GenerateDecoder;
  /** Text that stands before what is generated. */
  readonly prefix: string;
  readonly maxTokens: number | undefined;
  /** What prompt and answer may have together. */
  readonly context: number | undefined;
  readonly tally: Tally;
  /** Whether the prompt tokens that the backend counts for this choice are added to the tally. */
  readonly countsPrompt: boolean;
  /** The tokens of the prompt where they were counted here instead. */
  readonly promptLength: number | undefined;
  /** Whether this is the choice that reports them. */
  readonly reportsPrompt: boolean;
  /** Makes the text of an answer; left out where the backend's is the answer as it is. */
  readonly newText?: (() => AnswerText) | undefined;
  /** Tells reasoning and calls from the text of an answer; left out where all of it is text. */
  readonly newParts?: (() => AnswerParts) | undefined;
  /** Counts the tokens of a text, where the responses do not say how many they carry. */
  readonly countTokens?: ((text: string) => Promise<number>) | undefined;
  /** The bytes of the model's tokens, for logprobs of a backend that tells only their texts. */
  readonly table?: TokenTable | undefined;
  /** Ends the inference on servers where leaving its stream does not. */
  readonly stop?: ((hasBegun: boolean) => void) | undefined;
  readonly place: FaultPlace;
  /** Hears when the first response is there, and of the end. */
  readonly watch: Pick<InferenceWatch, 'first' | 'end'>;
}

/** One answer of the inference. */
interface AnswerState {
  readonly choice: number;
  readonly text: AnswerText | undefined;
  readonly parts: AnswerParts | undefined;
  /** All that was given, where its tokens are counted in the end. */
  whole: string;
  tokens: number;
  isFinished: boolean;
}

/**
 * One inference as the events of its choices: one, or with beam search several. One of these runs for every stream, so
 * it is an object, not a generator.
 */
export class ChoiceStream implements GenerateEvents, GenerateSink {
  readonly #options: ChoiceOptions;
  readonly #answers: readonly AnswerState[];
  #promptLength: number | undefined;
  #unfinished: number;
  #events: GenerateEvent[] = [];
  #uncounted: { readonly answer: AnswerState; readonly reason: FinishReason | undefined }[] = [];
  /** Whether the backend has said that it is done. */
  #isOver = false;
  #hasBegun = false;
  #isLeft = false;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: ChoiceOptions) {
    this.#options = options;
    const { choice: first, answers, prefix, promptLength, reportsPrompt, newText, newParts } = options;
    this.#answers = Array.from({ length: answers }, (_, at) => {
      return { choice: first + at, text: newText?.(), parts: newParts?.(), whole: '', tokens: 0, isFinished: false };
    });
    this.#unfinished = answers;
    this.#promptLength = promptLength;
    if (reportsPrompt && promptLength !== undefined) this.#events.push({ type: 'prompt-tokens', count: promptLength });
    if (prefix === '') return;
    for (const { choice } of this.#answers)
      this.#events.push({ type: 'text-delta', choice, text: prefix, tokens: 0, logprobs: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Whether a response has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  next(): Promise<IteratorResult<GenerateEvent[]>> {
    // Chained by hand, as this runs for every token; the gain over an async function was within the noise.
    if (this.#fault) return this.#onFault(this.#fault.error);
    if (this.#isLeft) return Promise.resolve({ done: true, value: undefined });
    return this.#options.responses.next().then(this.#onBatch, this.#onFault);
  }

  async return(): Promise<IteratorResult<GenerateEvent[]>> {
    await this.#leave();
    return { done: true, value: undefined };
  }

  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined, answer = 0): void {
    const state = this.#answers[answer] as AnswerState;
    if (state.isFinished) return;
    const { table } = this.#options;
    const figures = table && logprobs ? withTokenBytes(table, logprobs) : logprobs;
    this.#add(state, state.text ? state.text.push(text) : text, tokens, figures);
    if (state.text?.isStopped) this.#finish(state, 'stop');
  }

  ids(ids: readonly number[], logprobs: readonly IdLogprob[] | undefined, answer = 0): void {
    const state = this.#answers[answer] as AnswerState;
    if (state.isFinished || !state.text) return;
    const added = state.text.pushIds(ids, logprobs);
    this.#add(state, added.text, added.tokens, added.logprobs);
    if (state.text.isStopped) this.#finish(state, 'stop');
  }

  promptTokens(count: number): void {
    const { tally, countsPrompt } = this.#options;
    this.#promptLength = count;
    if (!countsPrompt) return;
    tally.promptTokens = (tally.promptTokens ?? 0) + count;
    this.#events.push({ type: 'prompt-tokens', count });
  }

  cachedTokens(count: number): void {
    const { tally, reportsPrompt } = this.#options;
    if (!reportsPrompt) return;
    // Whole blocks are counted, the last of which may be half full.
    tally.cachedTokens = (tally.cachedTokens ?? 0) + Math.min(count, this.#promptLength ?? count);
  }

  finish(reason: FinishReason | undefined, answer = 0): void {
    this.#isOver = true;
    const state = this.#answers[answer] as AnswerState;
    if (state.isFinished) return;
    const rest = state.text?.end();
    if (rest && (rest.text !== '' || rest.logprobs)) this.#add(state, rest.text, rest.tokens, rest.logprobs);
    this.#finish(state, state.text?.isStopped ? 'stop' : reason);
  }

  #add(state: AnswerState, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#options.tally.completionTokens += tokens;
    state.tokens += tokens;
    if (this.#options.countTokens) state.whole += text;
    const delta = { type: 'text-delta', choice: state.choice, text, tokens, logprobs } as const;
    if (!state.parts) {
      this.#events.push(delta);
      return;
    }
    state.parts.push(delta, this.#events);
    if (state.parts.isComplete) this.#finish(state, 'stop');
  }

  #finish(state: AnswerState, reason: FinishReason | undefined): void {
    if (state.isFinished) return;
    state.isFinished = true;
    this.#unfinished--;
    if (this.#options.countTokens) this.#uncounted.push({ answer: state, reason });
    else this.#report(state, reason);
  }

  #report({ choice, tokens, parts, text }: AnswerState, given: FinishReason | undefined): void {
    const { tally, maxTokens, context } = this.#options;
    const isFull = context !== undefined && (this.#promptLength ?? 0) + tokens >= context;
    const isCut = isFull || (maxTokens !== undefined && tokens >= maxTokens);
    const reason = given ?? (isCut ? 'length' : 'stop');
    parts?.end(choice, this.#events);
    const isCall = parts?.hasCalls && reason === 'stop';
    const stopText = reason === 'stop' && !isCall ? text?.stopText : undefined;
    this.#events.push({
      type: 'finish',
      choice,
      reason: isCall ? 'tool_calls' : reason,
      ...(stopText === undefined ? {} : { stopText }),
    });
    if (parts?.reasoningTokens !== undefined)
      tally.reasoningTokens = (tally.reasoningTokens ?? 0) + parts.reasoningTokens;
    tally.finishReasons.push(isCall ? 'tool_calls' : reason);
    tally.unfinished--;
    const usage = usageOf(tally);
    if (usage) this.#events.push(usage);
  }

  readonly #onBatch = (
    result: IteratorResult<InferResponse[]>,
  ): IteratorResult<GenerateEvent[]> | Promise<IteratorResult<GenerateEvent[]>> => {
    try {
      if (result.done) return this.#end();
      if (!this.#hasBegun) this.#options.watch.first();
      this.#hasBegun = true;
      for (const response of result.value) this.#options.decoder.push(response, this);
    } catch (error) {
      // What was decoded before the fault is given first.
      if (this.#events.length === 0) return this.#onFault(error);
      this.#fault = { error };
    }
    // A stop text was met, which ends the inference too.
    if (this.#unfinished === 0 && !this.#isOver) this.#leave().catch(() => undefined);
    if (this.#uncounted.length > 0) return this.#count().then(this.#given, this.#onFault);
    return this.#given();
  };

  readonly #given = (): IteratorResult<GenerateEvent[]> | Promise<IteratorResult<GenerateEvent[]>> => {
    if (this.#events.length === 0) return this.next();
    const value = this.#events;
    this.#events = [];
    return { done: false, value };
  };

  /** Every response stands for one token or more; the text tells how many there were at least. */
  async #count(): Promise<void> {
    const { countTokens, tally } = this.#options;
    for (const { answer, reason } of this.#uncounted.splice(0)) {
      const counted = Math.max(answer.tokens, (await countTokens?.(answer.whole)) ?? 0);
      tally.completionTokens += counted - answer.tokens;
      answer.tokens = counted;
      this.#report(answer, reason);
    }
  }

  readonly #onFault = async (error: unknown): Promise<never> => {
    // A server that answers with an error has ended the inference itself; one that was waited for too long has not.
    if (error instanceof StatusError && !(error instanceof WaitFault) && !this.#options.place.signal.aborted)
      this.#isOver = true;
    await this.#leave(error);
    throw generationFault(error, this.#options.place);
  };

  /** Ends the inference where it has not ended by itself. */
  async #leave(fault?: unknown): Promise<void> {
    const { responses, stop, watch } = this.#options;
    if (!this.#isLeft) {
      if (!this.#isOver) stop?.(this.#hasBegun);
      watch.end(fault);
    }
    this.#isLeft = true;
    await responses.return?.();
  }

  #end(): IteratorResult<GenerateEvent[]> {
    if (this.#unfinished > 0) throw new ApiError('backend_error', 'The backend ended the answer without finishing it.');
    this.#isLeft = true;
    this.#options.watch.end();
    return { done: true, value: undefined };
  }
}
