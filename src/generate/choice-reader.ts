import type {
  EngineReport,
  FinishReason,
  GenerateSink,
  IdLogprob,
  PromptLogprob,
  TokenLogprob,
} from '../contracts/contract.ts';
import type { EventFold } from '../contracts/events.ts';
import type { CompletionText } from '../output/completion-text.ts';
import { withTokenBytes } from '../output/token-bytes.ts';
import type { TokenTable } from '../tokenizer.ts';
import { echoedTokens, rankedTokens } from './prompt-logprobs.ts';
import type { ResponseParts } from './response-parts.ts';
import { addDrafts, addHitRate, addTimes, type Tally, usageOf } from './tally.ts';
import type { TokenReports } from './token-reports.ts';

/** How the choices of one inference are read. */
export interface ReaderOptions {
  /** The number of the inference's first choice. */
  readonly choice: number;
  /** How many choices the inference gives. */
  readonly choices: number;
  /** Text before what is generated. */
  readonly prefix: string;
  readonly maxTokens: number | undefined;
  /** The token limit of prompt and response together. */
  readonly context: number | undefined;
  readonly tally: Tally;
  /** Whether the prompt tokens that the backend counts for this choice are added to the tally. */
  readonly countsPrompt: boolean;
  /** The tokens of the prompt, if Conch counted them. */
  readonly promptLength: number | undefined;
  /** Whether this is the choice that reports them. */
  readonly reportsPrompt: boolean;
  /** Makes the text of a response; left out if the backend's text is used unchanged. */
  readonly newText?: (() => CompletionText) | undefined;
  /** Separates reasoning and calls from the text of a response; left out if all of it is text. */
  readonly newParts?: (() => ResponseParts) | undefined;
  /** Counts the tokens of a text, if the backend does not report them. */
  readonly countTokens?: ((text: string) => Promise<number>) | undefined;
  /** The bytes of the model's tokens, for logprobs of a backend that returns only their texts. */
  readonly table?: TokenTable | undefined;
  /** The same for logprobs of the prompt. */
  readonly promptTable?: TokenTable | undefined;
  /** Left out: no reports. */
  readonly reports?: TokenReports | undefined;
  /** The tokens of the prompt, if they are reported. */
  readonly promptIds?: Int32Array | undefined;
  /** Whether each token of a response with several is an event of its own. */
  readonly splitsTokens?: boolean;
}

/** One choice of the inference. */
interface ChoiceState {
  readonly choice: number;
  readonly text: CompletionText | undefined;
  readonly parts: ResponseParts | undefined;
  /** The whole text, if its tokens are counted at the end. */
  whole: string;
  tokens: number;
  isFinished: boolean;
}

const noSink: EventFold = { text: () => undefined, event: () => undefined };

/**
 * Turns what a decoder finds in the responses of one inference into the events of its choices: one, or with beam search
 * several. Synchronous: it knows neither streams nor servers.
 */
export class ChoiceReader implements GenerateSink {
  readonly #options: ReaderOptions;
  readonly #choices: readonly ChoiceState[];
  /** Whether the response is only the prompt. */
  readonly #dropsText: boolean;
  readonly #reportsIds: boolean;
  #promptLength: number | undefined;
  #unfinished: number;
  #out = noSink;
  #uncounted: { readonly state: ChoiceState; readonly reason: FinishReason | undefined }[] = [];
  #isEnded = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { choice: first, choices, promptLength, newText, newParts, reports } = options;
    this.#choices = Array.from({ length: choices }, (_, at) => {
      return { choice: first + at, text: newText?.(), parts: newParts?.(), whole: '', tokens: 0, isFinished: false };
    });
    this.#unfinished = choices;
    this.#promptLength = promptLength;
    this.#dropsText = reports?.isPromptOnly ?? false;
    this.#reportsIds = reports?.ids ?? false;
  }

  /** Call with the first response: emits what comes before its text, and all events from then on. */
  begin(out: EventFold): void {
    this.#out = out;
    const { prefix, promptLength, reportsPrompt, reports, promptIds } = this.#options;
    if (reportsPrompt && promptLength !== undefined) out.event({ type: 'prompt-tokens', count: promptLength });
    if (promptIds) for (const { choice } of this.#choices) out.event({ type: 'prompt-ids', choice, ids: promptIds });
    // A prefix with logprobs is emitted with them.
    if (prefix === '' || reports?.echoedLogprobs !== undefined) return;
    for (const { choice } of this.#choices) out.text(choice, prefix, 0, undefined);
  }

  /** Emits no more events. */
  close(): void {
    this.#out = noSink;
  }

  /** Whether every choice is complete. */
  get isComplete(): boolean {
    return this.#unfinished === 0;
  }

  /** Whether the backend has said that it is done. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined, index = 0): void {
    const state = this.#choices[index] as ChoiceState;
    if (state.isFinished || this.#dropsText) return;
    const { table } = this.#options;
    const figures = table && logprobs ? withTokenBytes(table, logprobs) : logprobs;
    this.#add(state, state.text ? state.text.push(text) : text, tokens, figures);
    if (state.text?.isStopped) this.#finish(state, 'stop');
  }

  ids(ids: readonly number[], logprobs: readonly IdLogprob[] | undefined, index = 0): void {
    const state = this.#choices[index] as ChoiceState;
    if (state.isFinished || !state.text || this.#dropsText) return;
    if (!this.#options.splitsTokens || ids.length < 2) this.#addIds(state, state.text, ids, logprobs);
    else
      for (let at = 0; at < ids.length && !state.isFinished; at++)
        this.#addIds(state, state.text, ids.slice(at, at + 1), logprobs?.slice(at, at + 1));
  }

  endToken(id: number, index = 0): void {
    const state = this.#choices[index] as ChoiceState;
    if (state.isFinished || this.#dropsText) return;
    if (this.#reportsIds) this.#out.event({ type: 'token-ids', choice: state.choice, ids: [id] });
    this.#add(state, '', 1, undefined);
  }

  promptTokens(count: number): void {
    const { tally, countsPrompt } = this.#options;
    this.#promptLength = count;
    if (!countsPrompt) return;
    tally.promptTokens = (tally.promptTokens ?? 0) + count;
    this.#out.event({ type: 'prompt-tokens', count });
  }

  cachedTokens(count: number): void {
    const { tally, reportsPrompt } = this.#options;
    if (!reportsPrompt) return;
    // Whole blocks are counted, the last of which may be half full.
    tally.cachedTokens = (tally.cachedTokens ?? 0) + Math.min(count, this.#promptLength ?? count);
  }

  promptLogprobs(logprobs: readonly PromptLogprob[]): void {
    const { reports, promptTable: table, prefix: text } = this.#options;
    if (!reports || !table) return;
    const { promptLogprobs, echoedLogprobs } = reports;
    const tokens = promptLogprobs === undefined ? undefined : rankedTokens(table, logprobs, promptLogprobs);
    const echoed =
      echoedLogprobs === undefined ? undefined : echoedTokens(table, logprobs, { text, most: echoedLogprobs });
    for (const { choice } of this.#choices) {
      if (tokens) this.#out.event({ type: 'prompt-logprobs', choice, tokens });
      if (echoed) this.#out.text(choice, text, 0, echoed);
    }
  }

  engineReport({ times, cacheHitRate, drafts }: EngineReport): void {
    const { tally } = this.#options;
    addTimes(tally, times);
    addHitRate(tally, cacheHitRate);
    if (drafts) addDrafts(tally, { draftTokens: drafts.proposed, acceptedTokens: drafts.accepted });
  }

  finish(reason: FinishReason | undefined, index = 0): void {
    this.#isEnded = true;
    const state = this.#choices[index] as ChoiceState;
    if (state.isFinished) return;
    const rest = state.text?.end();
    if (rest && (rest.text !== '' || rest.logprobs)) this.#add(state, rest.text, rest.tokens, rest.logprobs);
    if (this.#dropsText) this.#finish(state, 'length');
    else this.#finish(state, state.text?.isStopped ? 'stop' : reason);
  }

  /**
   * Counts the tokens of choices that are otherwise complete, or waits for the count of their prompt; undefined if
   * there are none. Each response of the backend is at least one token; the text gives a lower bound too.
   */
  count(): Promise<void> | undefined {
    return this.#uncounted.length > 0 ? this.#count() : undefined;
  }

  async #count(): Promise<void> {
    const { countTokens, tally } = this.#options;
    await tally.countingPrompt;
    for (const { state, reason } of this.#uncounted.splice(0)) {
      const counted = Math.max(state.tokens, (await countTokens?.(state.whole)) ?? 0);
      tally.completionTokens += counted - state.tokens;
      state.tokens = counted;
      this.#report(state, reason);
    }
  }

  #addIds(
    state: ChoiceState,
    into: CompletionText,
    ids: readonly number[],
    logprobs: readonly IdLogprob[] | undefined,
  ): void {
    const added = into.pushIds(ids, logprobs);
    if (this.#reportsIds) this.#out.event({ type: 'token-ids', choice: state.choice, ids: ids.slice(0, added.tokens) });
    this.#add(state, added.text, added.tokens, added.logprobs);
    if (into.isStopped) this.#finish(state, 'stop');
  }

  #add(state: ChoiceState, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#options.tally.completionTokens += tokens;
    state.tokens += tokens;
    if (this.#options.countTokens) state.whole += text;
    if (!state.parts) {
      this.#out.text(state.choice, text, tokens, logprobs);
      return;
    }
    state.parts.push(this.#out, state.choice, text, tokens, logprobs);
    if (state.parts.isComplete) this.#finish(state, 'stop');
  }

  #finish(state: ChoiceState, reason: FinishReason | undefined): void {
    if (state.isFinished) return;
    state.isFinished = true;
    this.#unfinished--;
    const { countTokens, tally } = this.#options;
    if (countTokens || tally.countingPrompt) this.#uncounted.push({ state, reason });
    else this.#report(state, reason);
  }

  #report({ choice, tokens, parts, text }: ChoiceState, backendReason: FinishReason | undefined): void {
    const { tally, maxTokens, context } = this.#options;
    const isFull = context !== undefined && (this.#promptLength ?? 0) + tokens >= context;
    const isCut = isFull || (maxTokens !== undefined && tokens >= maxTokens);
    const reason = backendReason ?? (isCut ? 'length' : 'stop');
    parts?.end(choice, this.#out);
    const isCall = parts?.hasCalls && reason === 'stop';
    const stopText = reason === 'stop' && !isCall ? text?.stopText : undefined;
    this.#out.event({
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
    if (usage) this.#out.event(usage);
  }
}
