import type { FinishReason } from '../contracts/contract.ts';
import type {
  EventFold,
  EventSink,
  Generation,
  OtherEvent,
  RunningGeneration,
  TokenUsage,
} from '../contracts/events.ts';
import type { ReasoningTurn } from '../output/reasoning/reasoning-parser.ts';
import { EventStage, staged } from './event-stage.ts';
import { generate } from './generation.ts';
import { roundGuide } from './guide-guard.ts';
import { HeldEvents } from './held-events.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { merge } from './merge.ts';
import type { Round, Run } from './plan.ts';
import { type ResponseParsers, ResponseParts } from './response-parts.ts';
import { runInto } from './run-into.ts';
import { seeded } from './seeds.ts';
import { timeKeeper } from './time-left.ts';
import { UsageSum } from './usage-sum.ts';

/** How a model reasons before a response with a structure. */
export interface ReasoningPhase {
  readonly turn: ReasoningTurn;
  readonly parsers: ResponseParsers;
  /** Whether its markers are special tokens, which the backend must keep in the text. */
  readonly keepsSpecialTokens: boolean;
}

/**
 * Generates responses that reason freely and then follow their structure. A backend guides a response from its first
 * token on, so the reasoning is a round of its own, and the response is a round that continues it. The first tokens
 * show whether a model reasons at all. Conch requests only them at first, so that it never has to cancel a round.
 */
export async function generateReasoned(run: Run, round: Round, phase: ReasoningPhase): Promise<Generation> {
  const { choicesPerPrompt: choiceCount, id } = round;
  // The guide applies after the reasoning, but Conch refuses a quarantined one before it.
  roundGuide(run, round)?.check();
  const timeLeft = timeKeeper(round.timeout);
  const shared = { ...run, shared: run.shared ?? {} };
  const choices = Array.from({ length: choiceCount }, (_, choice) => {
    const sampling = seeded(round.sampling, choice);
    const own = choiceCount === 1 ? id : `${id}-${choice}`;
    return new ReasonedChoice(
      shared,
      { ...round, sampling, id: own, choicesPerPrompt: 1 },
      { phase, choice, timeLeft },
    );
  });
  // A request that cannot start fails before the response starts.
  await Promise.all(choices.map((choice) => choice.prepare()));
  return staged(merge(choices), (out) => new SummedUsage(out));
}

interface ReasonedChoiceOptions {
  readonly phase: ReasoningPhase;
  readonly choice: number;
  readonly timeLeft: () => number | undefined;
}

/** Enough tokens to see whether a response starts with reasoning. */
const firstTokens = 4;

/** How many of these rounds Conch tries before it assumes a response without reasoning. */
const mostLooks = 8;

/** One choice: consecutive rounds. Within a round, events are passed on as they arrive. */
class ReasonedChoice implements Generation, RunningGeneration {
  readonly #run: Run;
  readonly #round: Round;
  readonly #options: ReasonedChoiceOptions;
  readonly #parts: ResponseParts;
  #prepared: Generation | undefined;
  #running: RunningGeneration | undefined;
  #isPaused = false;
  #isOver = false;
  #written = '';
  #tokens = 0;
  #finish: FinishReason | undefined;
  #usage: TokenUsage | undefined;

  constructor(run: Run, round: Round, options: ReasonedChoiceOptions) {
    this.#run = run;
    this.#round = round;
    this.#options = options;
    this.#parts = new ResponseParts(options.phase.parsers);
  }

  /** Prepares the first round. */
  async prepare(): Promise<void> {
    const isOpen = this.#options.phase.turn.opens.length === 0;
    this.#prepared = await this.#infer(isOpen ? undefined : firstTokens);
  }

  start(sink: EventSink): this {
    this.#respond(sink).then(
      () => {
        if (!this.#isOver) sink.end();
      },
      (error: unknown) => {
        if (!this.#isOver) sink.fail(error);
      },
    );
    return this;
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#running?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#running?.cancel();
  }

  async #respond(out: EventFold): Promise<void> {
    const { phase, choice } = this.#options;
    const { turn } = phase;
    const first = this.#prepared ?? (await this.#infer(undefined));
    if (turn.opens.length === 0) await this.#reason(first, out);
    else {
      const held = new HeldEvents();
      if (!(await this.#opens(first, held))) return this.#generateResponse(turn.withoutReasoning, undefined, out);
      held.give(out);
      if (this.#mayGoOn()) await this.#reason(await this.#infer(undefined), out);
    }
    this.#parts.end(choice, out);
    const usage = this.#usage && { ...this.#usage, reasoningTokens: this.#usage.completionTokens };
    const isFull = this.#finish === 'length' || this.#remainingTokens() <= 0;
    if (!isFull) return this.#generateResponse(closed(this.#written, turn) + turn.afterReasoning, usage, out);
    out.event({ type: 'finish', choice, reason: 'length' });
    if (usage) out.event({ type: 'usage', ...usage });
  }

  /** Whether the response starts with reasoning. Requests a few more tokens while that is unknown. */
  async #opens(first: Generation, out: EventFold): Promise<boolean> {
    const { opens } = this.#options.phase.turn;
    let generation = first;
    for (let looks = 1; ; looks++) {
      await this.#reason(generation, out);
      const begin = beginOf(this.#written, opens);
      if (begin !== 'unknown' || looks === mostLooks || !this.#mayGoOn()) return begin === 'reasoning';
      generation = await this.#infer(firstTokens);
    }
  }

  #mayGoOn(): boolean {
    return this.#finish === 'length' && this.#remainingTokens() > 0;
  }

  /** Runs a round of reasoning to its end. */
  #reason(unguided: Generation, out: EventFold): Promise<void> {
    return this.#runInto(unguided, {
      text: (_, text, tokens, logprobs) => {
        this.#written += text;
        this.#tokens += tokens;
        this.#parts.push(out, this.#options.choice, text, tokens, logprobs);
      },
      event: (event) => this.#takeReasoning(event, out),
    });
  }

  #takeReasoning(event: OtherEvent, out: EventFold): void {
    if (event.type === 'prompt-tokens' && this.#options.choice === 0 && this.#usage === undefined) out.event(event);
    const isPrompt = event.type === 'prompt-ids' || event.type === 'prompt-logprobs';
    // A later round has the reasoning so far in its prompt.
    if (event.type === 'token-ids' || (isPrompt && this.#usage === undefined))
      out.event({ ...event, choice: this.#options.choice });
    if (event.type === 'finish') this.#finish = event.reason as FinishReason;
    if (event.type === 'usage') this.#usage = this.#usage ? whole(this.#usage, event) : event;
  }

  #runInto(generation: Generation, fold: EventFold): Promise<void> {
    // The client disconnected: nothing starts, and this error is not reported.
    if (this.#isOver) return Promise.reject(new Error('The generation was cancelled.'));
    return runInto(generation, fold, (running) => {
      this.#running = running;
      if (this.#isPaused) running.pause();
    });
  }

  /** Continues the reasoning from where it is. */
  #infer(most: number | undefined): MaybePromise<Generation> {
    const { sampling, prompts, id } = this.#round;
    const { phase, timeLeft } = this.#options;
    // The client's own stop sequences end its response, not what comes before it.
    const { stop: _stop, minTokens: _least, maxTokens: _most, ...rest } = sampling;
    const maxTokens = Math.min(most ?? Infinity, this.#remainingTokens());
    return generate(this.#run, {
      id: this.#written === '' ? id : `${id}-more`,
      prompts: [{ text: (prompts[0]?.text ?? '') + this.#written }],
      prefixes: [''],
      choicesPerPrompt: 1,
      sampling: {
        ...rest,
        ...(maxTokens === Infinity ? {} : { maxTokens }),
        stop: phase.turn.ends,
        includeStopText: true,
        ...(phase.keepsSpecialTokens ? { skipSpecialTokens: false } : {}),
      },
      logprobs: undefined,
      promptLogprobs: this.#written === '' ? this.#round.promptLogprobs : undefined,
      structure: undefined,
      stream: most === undefined,
      timeout: timeLeft(),
    });
  }

  #remainingTokens(): number {
    return (this.#round.sampling.maxTokens ?? Infinity) - this.#tokens;
  }

  async #generateResponse(begin: string, reasoning: TokenUsage | undefined, out: EventFold): Promise<void> {
    const { prompts, sampling, id } = this.#round;
    const { choice, timeLeft } = this.#options;
    const generation = await generate(this.#run, {
      ...this.#round,
      id: `${id}-answer`,
      prompts: [{ text: `${prompts[0]?.text ?? ''}${begin}` }],
      sampling:
        reasoning && sampling.maxTokens !== undefined ? { ...sampling, maxTokens: this.#remainingTokens() } : sampling,
      promptLogprobs: reasoning ? undefined : this.#round.promptLogprobs,
      timeout: timeLeft(),
    });
    await this.#runInto(generation, {
      text: (_, text, tokens, logprobs) => out.text(choice, text, tokens, logprobs),
      event: (event) => {
        if (event.type === 'usage') out.event({ type: 'usage', ...(reasoning ? whole(reasoning, event) : event) });
        else if (event.type === 'prompt-tokens') {
          if (!reasoning && choice === 0) out.event(event);
        } else if (!reasoning || event.type !== 'prompt-ids') out.event({ ...event, choice });
      },
    });
  }
}

/** Adds completion tokens. Only the client's own prompt counts as the prompt: the rest of it is generated text. */
function whole(before: TokenUsage, { completionTokens }: TokenUsage): TokenUsage {
  return { ...before, completionTokens: before.completionTokens + completionTokens };
}

/** Reasoning with its end marker, which is added if the model did not write it. */
function closed(reasoning: string, { ends }: ReasoningTurn): string {
  return ends.some((end) => reasoning.endsWith(end)) ? reasoning : reasoning + ends[0];
}

/** Whether a response starts with one of these texts, may still do so, or cannot. */
function beginOf(text: string, opens: readonly string[]): 'reasoning' | 'unknown' | 'other' {
  const begin = text.trimStart();
  if (opens.some((open) => begin.startsWith(open))) return 'reasoning';
  return opens.some((open) => open.startsWith(begin)) ? 'unknown' : 'other';
}

/** Emits the sum of the usages of all choices at the end. */
class SummedUsage extends EventStage {
  readonly #sum = new UsageSum();
  #usages = 0;

  override event(event: OtherEvent): void {
    if (event.type === 'usage') this.#sum.add(event, { countsPrompt: this.#usages++ === 0 });
    else this.out.event(event);
  }

  override end(): void {
    if (this.#usages > 0 && this.#sum.total) this.out.event({ type: 'usage', ...this.#sum.total });
    this.out.end();
  }
}
