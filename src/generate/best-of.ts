import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { type EventStep, stepped } from './event-step.ts';
import { generate } from './generation.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import type { Round, Run } from './plan.ts';

/** An answer that may be among the best. */
interface Candidate {
  readonly events: Exclude<GenerateEvent, { type: 'prompt-tokens' | 'usage' }>[];
  logprob: number;
  tokens: number;
}

/**
 * Generates all candidates of each prompt and gives the events of the likeliest, by mean logprob per token. The usage
 * counts every candidate, as OpenAI's does.
 */
export function bestOf(run: Run, round: Round, candidates: number): MaybePromise<GenerateEvents> {
  const { logprobs, choicesPerPrompt: wanted, prompts } = round;
  // Ranking needs the logprobs, also where the request does not ask for them.
  const all = generate(run, { ...round, logprobs: logprobs ?? 0, choicesPerPrompt: candidates });
  const ranking = new Ranking({ prompts: prompts.length, candidates, wanted, keepsLogprobs: logprobs !== undefined });
  return after(all, (events) => stepped(events, ranking));
}

interface RankingOptions {
  readonly prompts: number;
  /** How many there are for each prompt, and how many of them are wanted. */
  readonly candidates: number;
  readonly wanted: number;
  readonly keepsLogprobs: boolean;
}

class Ranking implements EventStep {
  readonly #options: RankingOptions;
  readonly #candidates: readonly Candidate[];
  readonly #others: GenerateEvent[] = [];

  constructor(options: RankingOptions) {
    this.#options = options;
    const length = options.prompts * options.candidates;
    this.#candidates = Array.from({ length }, () => ({ events: [], logprob: 0, tokens: 0 }));
  }

  push(event: GenerateEvent): void {
    if (event.type === 'usage' || event.type === 'prompt-tokens') this.#others.push(event);
    else add(this.#candidates[event.choice] as Candidate, event);
  }

  end(out: GenerateEvent[]): void {
    const { prompts, candidates, wanted, keepsLogprobs } = this.#options;
    const chosen = Array.from({ length: prompts }, (_, prompt) =>
      this.#candidates
        .slice(prompt * candidates, (prompt + 1) * candidates)
        .toSorted((a, b) => meanLogprob(b) - meanLogprob(a))
        .slice(0, wanted),
    ).flat();
    for (const [choice, { events }] of chosen.entries())
      for (const event of events)
        out.push(
          event.type === 'text-delta' && !keepsLogprobs
            ? { ...event, choice, logprobs: undefined }
            : { ...event, choice },
        );
    for (const event of this.#others) out.push(event);
  }
}

function add(candidate: Candidate, event: Candidate['events'][number]): void {
  candidate.events.push(event);
  if (event.type !== 'text-delta') return;
  for (const token of event.logprobs ?? []) {
    candidate.logprob += token.logprob;
    candidate.tokens++;
  }
}

function meanLogprob({ logprob, tokens }: Candidate): number {
  return tokens === 0 ? Number.NEGATIVE_INFINITY : logprob / tokens;
}
