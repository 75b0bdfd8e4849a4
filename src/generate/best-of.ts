import type { TokenLogprob } from '../contracts/contract.ts';
import {
  type EventSink,
  type GenerateEvent,
  type Generation,
  giveEvent,
  type OtherEvent,
} from '../contracts/events.ts';
import { EventStage, staged } from './event-stage.ts';
import { generate } from './generation.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import type { Round, Run } from './plan.ts';

/** A completion that may be among the best. */
interface Candidate {
  readonly events: Exclude<GenerateEvent, { type: 'prompt-tokens' | 'usage' }>[];
  logprob: number;
  tokens: number;
}

/**
 * Generates all candidates of each prompt and gives the events of the likeliest, by mean logprob per token. The usage
 * counts every candidate, as OpenAI's does.
 */
export function bestOf(run: Run, round: Round, candidates: number): MaybePromise<Generation> {
  const { logprobs, choicesPerPrompt, prompts } = round;
  // Ranking needs the logprobs, even if the request does not ask for them.
  const all = generate(run, { ...round, logprobs: logprobs ?? 0, choicesPerPrompt: candidates });
  const options = { prompts: prompts.length, candidates, choicesPerPrompt, keepsLogprobs: logprobs !== undefined };
  return after(all, (generation) => staged(generation, (out) => new Ranking(out, options)));
}

interface RankingOptions {
  readonly prompts: number;
  /** How many there are for each prompt, and how many of them the request gets. */
  readonly candidates: number;
  readonly choicesPerPrompt: number;
  readonly keepsLogprobs: boolean;
}

/** Buffers all events, and emits those of the best candidates at the end. */
class Ranking extends EventStage {
  readonly #options: RankingOptions;
  readonly #candidates: readonly Candidate[];
  readonly #others: OtherEvent[] = [];

  constructor(out: EventSink, options: RankingOptions) {
    super(out);
    this.#options = options;
    const length = options.prompts * options.candidates;
    this.#candidates = Array.from({ length }, () => ({ events: [], logprob: 0, tokens: 0 }));
  }

  override text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    const candidate = this.#candidates[choice] as Candidate;
    candidate.events.push({ type: 'text-delta', choice, text, tokens, logprobs });
    // An echoed prompt is the same for all candidates; its first token has no logprob.
    if (logprobs?.[0] && Number.isNaN(logprobs[0].logprob)) return;
    for (const token of logprobs ?? []) {
      candidate.logprob += token.logprob;
      candidate.tokens++;
    }
  }

  override event(event: OtherEvent): void {
    if (event.type === 'usage' || event.type === 'prompt-tokens') this.#others.push(event);
    else this.#candidates[event.choice]?.events.push(event);
  }

  override end(): void {
    const { prompts, candidates, choicesPerPrompt, keepsLogprobs } = this.#options;
    const chosen = Array.from({ length: prompts }, (_, prompt) =>
      this.#candidates
        .slice(prompt * candidates, (prompt + 1) * candidates)
        .toSorted((a, b) => meanLogprob(b) - meanLogprob(a))
        .slice(0, choicesPerPrompt),
    ).flat();
    for (const [choice, { events }] of chosen.entries())
      for (const event of events)
        giveEvent(
          event.type === 'text-delta' && !keepsLogprobs
            ? { ...event, choice, logprobs: undefined }
            : { ...event, choice },
          this.out,
        );
    for (const event of this.#others) this.out.event(event);
    this.out.end();
  }
}

function meanLogprob({ logprob, tokens }: Candidate): number {
  return tokens === 0 ? Number.NEGATIVE_INFINITY : logprob / tokens;
}
