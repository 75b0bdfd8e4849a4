import type { FinishReason } from '../contracts/contract.ts';
import type { GenerateEvent, GenerateEvents, TokenUsage } from '../contracts/events.ts';
import type { ReasoningTurn } from '../output/reasoning/reasoning-parser.ts';
import { type AnswerParsers, AnswerParts } from './answer-parts.ts';
import { type EventStep, stepped } from './event-step.ts';
import { generate } from './generation.ts';
import { roundGuide } from './guide-guard.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { merge } from './merge.ts';
import type { Round, Run } from './plan.ts';
import { seeded } from './seeds.ts';
import { timeKeeper } from './time-left.ts';
import { UsageSum } from './usage-sum.ts';

/** How a model reasons before an answer that must have a form. */
export interface ReasoningPhase {
  readonly turn: ReasoningTurn;
  readonly parsers: AnswerParsers;
  /** Whether its markers are special tokens, which the backend must keep in the text. */
  readonly keepsSpecialTokens: boolean;
}

/**
 * Generates responses that reason freely and then follow their structure. A backend guides a response from its first token
 * on, so the reasoning is a round of its own, and the response is the one that goes on from it. Whether a model reasons at
 * all is seen from its first tokens, which are asked for alone: nothing is begun that would have to be broken off.
 */
export async function generateReasoned(run: Run, round: Round, phase: ReasoningPhase): Promise<GenerateEvents> {
  const { choicesPerPrompt: answers, id } = round;
  // The guide comes into play behind the reasoning; one that is refused is refused before it.
  roundGuide(run, round)?.check();
  const timeLeft = timeKeeper(round.timeout);
  const shared = { ...run, shared: run.shared ?? {} };
  const choices = Array.from({ length: answers }, (_, choice) => {
    const sampling = seeded(round.sampling, choice);
    const own = answers === 1 ? id : `${id}-${choice}`;
    return new ReasonedChoice(
      shared,
      { ...round, sampling, id: own, choicesPerPrompt: 1 },
      { phase, choice, timeLeft },
    );
  });
  // A request that cannot be begun fails before anything is answered.
  const begun = await Promise.all(choices.map((choice) => choice.begin()));
  const events = merge(choices.map((choice, at) => choice.events(begun[at] as GenerateEvents)));
  return stepped(events, new SummedUsage());
}

interface ChoicePlace {
  readonly phase: ReasoningPhase;
  readonly choice: number;
  readonly timeLeft: () => number | undefined;
}

/** As many tokens as tell whether an answer begins with reasoning. */
const firstTokens = 4;

/** How often so many are looked at before the answer is taken for one without. */
const mostLooks = 8;

class ReasonedChoice {
  readonly #run: Run;
  readonly #round: Round;
  readonly #place: ChoicePlace;
  readonly #parts: AnswerParts;
  #written = '';
  #tokens = 0;
  #finish: FinishReason | undefined;
  #usage: TokenUsage | undefined;

  constructor(run: Run, round: Round, place: ChoicePlace) {
    this.#run = run;
    this.#round = round;
    this.#place = place;
    this.#parts = new AnswerParts(place.phase.parsers);
  }

  async begin(): Promise<GenerateEvents> {
    const isOpen = this.#place.phase.turn.opens.length === 0;
    return this.#infer(isOpen ? undefined : firstTokens);
  }

  async *events(begun: GenerateEvents): GenerateEvents {
    const { phase, choice } = this.#place;
    const { turn } = phase;
    const out: GenerateEvent[] = [];
    if (turn.opens.length === 0) yield* this.#reason(begun);
    else {
      if (!(await this.#opens(begun, out))) return yield* this.#answer(turn.withoutReasoning, undefined);
      if (out.length > 0) yield out.splice(0);
      if (this.#mayGoOn()) yield* this.#reason(await this.#infer(undefined));
    }
    this.#parts.end(choice, out);
    const usage = this.#usage && { ...this.#usage, reasoningTokens: this.#usage.completionTokens };
    const isFull = this.#finish === 'length' || this.#left() <= 0;
    if (isFull) out.push({ type: 'finish', choice, reason: 'length' });
    if (isFull && usage) out.push({ type: 'usage', ...usage });
    if (out.length > 0) yield out;
    if (!isFull) yield* this.#answer(closed(this.#written, turn) + turn.afterReasoning, usage);
  }

  /** Whether the answer begins with reasoning. A few tokens more are asked for while they do not tell. */
  async #opens(begun: GenerateEvents, out: GenerateEvent[]): Promise<boolean> {
    const { opens } = this.#place.phase.turn;
    let events = begun;
    for (let looks = 1; ; looks++) {
      for await (const batch of events) this.#take(batch, out);
      const begin = beginOf(this.#written, opens);
      if (begin !== 'unknown' || looks === mostLooks || !this.#mayGoOn()) return begin === 'reasoning';
      events = await this.#infer(firstTokens);
    }
  }

  #mayGoOn(): boolean {
    return this.#finish === 'length' && this.#left() > 0;
  }

  async *#reason(unguided: GenerateEvents): AsyncGenerator<GenerateEvent[], void, undefined> {
    for await (const batch of unguided) {
      const out: GenerateEvent[] = [];
      this.#take(batch, out);
      if (out.length > 0) yield out;
    }
  }

  /** Goes on with the reasoning, as far as it came. */
  #infer(most: number | undefined): MaybePromise<GenerateEvents> {
    const { sampling, prompts, id } = this.#round;
    const { phase, timeLeft } = this.#place;
    // The client's own stop sequences end its response, not what comes before it.
    const { stop: _stop, minTokens: _least, maxTokens: _most, ...rest } = sampling;
    const maxTokens = Math.min(most ?? Infinity, this.#left());
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
      structure: undefined,
      stream: most === undefined,
      timeout: timeLeft(),
    });
  }

  #left(): number {
    return (this.#round.sampling.maxTokens ?? Infinity) - this.#tokens;
  }

  #take(batch: readonly GenerateEvent[], out: GenerateEvent[]): void {
    const { choice } = this.#place;
    for (const event of batch) {
      if (event.type === 'prompt-tokens' && choice === 0 && this.#usage === undefined) out.push(event);
      if (event.type === 'text-delta') {
        this.#written += event.text;
        this.#tokens += event.tokens;
        this.#parts.push({ ...event, choice }, out);
      }
      if (event.type === 'finish') this.#finish = event.reason as FinishReason;
      if (event.type === 'usage') this.#usage = this.#usage ? whole(this.#usage, event) : event;
    }
  }

  async *#answer(begin: string, reasoning: TokenUsage | undefined): GenerateEvents {
    const { prompts, sampling, id } = this.#round;
    const { choice, timeLeft } = this.#place;
    const events = await generate(this.#run, {
      ...this.#round,
      id: `${id}-answer`,
      prompts: [{ text: `${prompts[0]?.text ?? ''}${begin}` }],
      sampling: reasoning && sampling.maxTokens !== undefined ? { ...sampling, maxTokens: this.#left() } : sampling,
      timeout: timeLeft(),
    });
    for await (const batch of events) {
      const shown: GenerateEvent[] = [];
      for (const event of batch)
        if (event.type === 'usage') shown.push({ type: 'usage', ...(reasoning ? whole(reasoning, event) : event) });
        else if (event.type !== 'prompt-tokens') shown.push({ ...event, choice });
        else if (!reasoning && choice === 0) shown.push(event);
      if (shown.length > 0) yield shown;
    }
  }
}

/** The prompt is the client's; what was put behind it is what the model wrote. */
function whole(before: TokenUsage, { completionTokens }: TokenUsage): TokenUsage {
  return { ...before, completionTokens: before.completionTokens + completionTokens };
}

/** Reasoning that the model ended without saying so is ended here. */
function closed(reasoning: string, { ends }: ReasoningTurn): string {
  return ends.some((end) => reasoning.endsWith(end)) ? reasoning : reasoning + ends[0];
}

/** Whether an answer begins with one of these texts, may still do so, or cannot. */
function beginOf(text: string, opens: readonly string[]): 'reasoning' | 'unknown' | 'other' {
  const begin = text.trimStart();
  if (opens.some((open) => begin.startsWith(open))) return 'reasoning';
  return opens.some((open) => open.startsWith(begin)) ? 'unknown' : 'other';
}

/** The usages of all choices as one, at the end. */
class SummedUsage implements EventStep {
  readonly #sum = new UsageSum();
  #answers = 0;

  push(event: GenerateEvent, out: GenerateEvent[]): void {
    if (event.type === 'usage') this.#sum.add(event, { countsPrompt: this.#answers++ === 0 });
    else out.push(event);
  }

  end(out: GenerateEvent[]): void {
    if (this.#answers > 0 && this.#sum.total) out.push({ type: 'usage', ...this.#sum.total });
  }
}
