import { inTurns } from './in-turns.ts';
import type { CountedOutcome } from './level-report.ts';
import type { Endpoint, Outcome } from './load/messages.ts';
import type { Prompt } from './prompts.ts';
import { sum } from './statistics.ts';
import type { TokenCounter } from './token-counter.ts';

interface CountOptions {
  readonly endpoint: Endpoint;
  readonly prompts: readonly Prompt[];
  /** Undefined: what the server says is taken. */
  readonly counter: TokenCounter | undefined;
}

/** Counts the tokens of the answers, after all of them have come. */
export async function countOutcomes(
  outcomes: readonly Outcome[],
  { endpoint, prompts, counter }: CountOptions,
): Promise<CountedOutcome[]> {
  return inTurns(outcomes, countOne);

  async function countOne(outcome: Outcome): Promise<CountedOutcome> {
    const prompt = prompts[outcome.index % prompts.length];
    const inputTokens = counter ? prompt?.tokens : outcome.promptTokens;
    if (endpoint === 'embeddings') return { ...outcome, inputTokens, outputTokens: undefined };
    const outputTokens = counter
      ? sum(await Promise.all(outcome.texts.map((text) => counter.count(text))))
      : // A server that says nothing of usage sends a token in each event, as far as anybody can tell.
        (outcome.completionTokens ?? outcome.events);
    return { ...outcome, inputTokens, outputTokens };
  }
}

/** Whether all of these answers came with what the server counted. */
export function haveUsage(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ completionTokens }) => completionTokens !== undefined);
}
