import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { type GenerationOptions, generate } from './generation.ts';

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
export async function bestOf(
  options: GenerationOptions,
  wanted: number,
  keepsLogprobs: boolean,
): Promise<GenerateEvents> {
  return best(await generate(options), options, wanted, keepsLogprobs);
}

async function* best(
  events: GenerateEvents,
  { prompts, choicesPerPrompt }: GenerationOptions,
  wanted: number,
  keepsLogprobs: boolean,
): GenerateEvents {
  const candidates = Array.from(
    { length: prompts.length * choicesPerPrompt },
    (): Candidate => ({ events: [], logprob: 0, tokens: 0 }),
  );
  const others: GenerateEvent[] = [];
  for await (const batch of events)
    for (const event of batch) {
      if (event.type === 'usage' || event.type === 'prompt-tokens') others.push(event);
      else add(candidates[event.choice] as Candidate, event);
    }
  const chosen = prompts.flatMap((_, prompt) =>
    candidates
      .slice(prompt * choicesPerPrompt, (prompt + 1) * choicesPerPrompt)
      .toSorted((a, b) => meanLogprob(b) - meanLogprob(a))
      .slice(0, wanted),
  );
  const renumbered = chosen.flatMap((candidate, choice) =>
    candidate.events.map((event) =>
      event.type === 'text-delta' && !keepsLogprobs ? { ...event, choice, logprobs: undefined } : { ...event, choice },
    ),
  );
  yield [...renumbered, ...others];
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
