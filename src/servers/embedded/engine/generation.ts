import { StopStrings } from '../../../output/stop-strings.ts';
import type { Adapter } from './adapters.ts';
import type { LoopJob } from './batch-plan.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContextBinding } from './engine-types.ts';
import type { ResponseOutlet } from './response-outlet.ts';
import type { SamplingParameters } from './sampling-parameters.ts';
import { invalidArgument } from './status-errors.ts';
import type { TokenChooser } from './token-chooser.ts';
import type { ChosenLogprob, LogprobReader } from './token-logprobs.ts';
import { Detokenizer, type Vocabulary } from './vocabulary.ts';

/** How a generation ended, for the statistics. */
export interface GenerationEnd {
  readonly outcome: 'success' | 'fail' | 'cancel';
  readonly error?: unknown;
}

interface GenerationOptions {
  readonly prompt: readonly number[];
  /** The text before an unstreamed completion. */
  readonly echo: string;
  readonly isStreamed: boolean;
  readonly parameters: SamplingParameters;
  readonly adapter: Adapter | undefined;
  /** The token limit: the requested one, or the rest of the context length. */
  readonly limit: number;
  readonly vocabulary: Vocabulary;
  /** Called for the first token: samplers are large, and many requests may wait. */
  readonly chooser: () => TokenChooser;
  /** Undefined if no logprobs were requested. */
  readonly logprobs: (() => LogprobReader) | undefined;
  readonly writer: CompletionWriter;
  readonly outlet: ResponseOutlet;
  onBegin(reusedTokens: number): void;
  onEnd(end: GenerationEnd): void;
}

/** One generation, from its prompt to its finish reason. */
export class EngineGeneration implements LoopJob {
  readonly #options: GenerationOptions;
  readonly #detokenizer: Detokenizer;
  readonly #stops: StopStrings;
  readonly #stopTokens: ReadonlySet<number>;
  readonly #output: number[] = [];
  readonly #collected: { text: string; logprobs: string[] };
  #chooser: TokenChooser | undefined;
  #logprobs: LogprobReader | undefined;
  #cumulative = 0;
  #isOver = false;
  #isAdvancing = false;

  constructor(options: GenerationOptions) {
    const { parameters, vocabulary, echo } = options;
    this.#options = options;
    this.#detokenizer = new Detokenizer(vocabulary, { skipSpecialTokens: parameters.skip_special_tokens });
    this.#stops = new StopStrings(parameters.stop, { keepsStop: parameters.include_stop_str_in_output });
    this.#stopTokens = new Set(parameters.stop_token_ids);
    this.#collected = { text: echo, logprobs: [] };
  }

  get prompt(): readonly number[] {
    return this.#options.prompt;
  }

  get adapter(): Adapter | undefined {
    return this.#options.adapter;
  }

  get isPaused(): boolean {
    return this.#options.outlet.isPaused;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  begin(reusedTokens: number): void {
    this.#options.onBegin(reusedTokens);
  }

  async advance(context: ContextBinding, at: number): Promise<number | undefined> {
    this.#isAdvancing = true;
    try {
      this.#chooser ??= this.#options.chooser();
      this.#logprobs ??= this.#options.logprobs?.();
      const token = await this.#chooser.choose(context, at, this.#output);
      if (token < 0)
        throw invalidArgument(
          'No token can be generated: the constraints of this request exclude every token. Relax logit_bias, allowed_token_ids, bad_words or structured_outputs.',
        );
      const figures = await this.#logprobs?.read(context, at, token);
      // The reader may have disconnected meanwhile.
      return this.#isOver ? undefined : this.#accept(token, figures);
    } finally {
      this.#isAdvancing = false;
      if (this.#isOver) this.#dispose();
    }
  }

  fail(error: unknown): void {
    this.#end({ outcome: 'fail', error }, error);
  }

  /** The reader disconnected, or needs no more; an error is passed on to it. */
  cancel(error?: unknown): void {
    this.#end({ outcome: 'cancel' }, error);
  }

  #accept(token: number, figures: ChosenLogprob | undefined): number | undefined {
    const { limit, parameters, vocabulary } = this.#options;
    this.#output.push(token);
    this.#cumulative += figures?.logprob ?? 0;
    const count = this.#output.length;
    const isEnd = this.#stopTokens.has(token) || (!parameters.ignore_eos && vocabulary.ends.has(token));
    const isStopped = isEnd && count >= parameters.min_tokens;
    const isHidden = isStopped && !parameters.include_stop_str_in_output;
    let text = isHidden ? '' : this.#detokenizer.push(token);
    if (count > parameters.min_tokens) text = this.#stops.push(text);
    let finish: 'stop' | 'length' | undefined;
    if (this.#stops.found !== undefined || isStopped) finish = 'stop';
    else if (count >= limit) finish = 'length';
    if (finish !== undefined) text += this.#stops.flush();
    this.#emit(text, figures, finish);
    return finish === undefined ? token : undefined;
  }

  #emit(text: string, figures: ChosenLogprob | undefined, finish: 'stop' | 'length' | undefined): void {
    const { isStreamed, writer, outlet, logprobs } = this.#options;
    const cumulativeLogprob = logprobs ? this.#cumulative : Number.NaN;
    if (isStreamed) {
      const entries = figures ? [figures.json] : undefined;
      outlet.push(writer.write({ text, tokens: 1, finish, cumulativeLogprob, logprobs: entries }));
    } else {
      this.#collected.text += text;
      if (figures) this.#collected.logprobs.push(figures.json);
      if (finish !== undefined) {
        const all = this.#collected;
        const entries = logprobs ? all.logprobs : undefined;
        const tokens = this.#output.length;
        outlet.push(writer.write({ text: all.text, tokens, finish, cumulativeLogprob, logprobs: entries }));
      }
    }
    if (finish !== undefined) this.#end({ outcome: 'success' }, undefined);
  }

  #end(end: GenerationEnd, error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.outlet.end(error);
    this.#options.onEnd(end);
    if (!this.#isAdvancing) this.#dispose();
  }

  /** Never called while a sampler runs: it runs in another thread. */
  #dispose(): void {
    this.#chooser?.dispose();
    this.#logprobs?.dispose();
  }
}
