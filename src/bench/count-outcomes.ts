import { inTurns, type OnShare } from './in-turns.ts';
import type { CountedOutcome } from './level-report.ts';
import type { Endpoint, Outcome } from './load/messages.ts';
import type { Prompt } from './prompts.ts';
import { sum } from './statistics.ts';
import type { TokenCounter } from './token-counter.ts';

interface CountOptions {
  readonly endpoint: Endpoint;
  readonly isStreaming: boolean;
  readonly prompts: readonly Prompt[];
  /** Undefined: use the usage that the server reports. */
  readonly counter: TokenCounter | undefined;
  readonly onShare?: OnShare | undefined;
}

/** Counts the tokens of all responses after they have ended. The results no longer contain the texts. */
export async function countOutcomes(
  outcomes: readonly Outcome[],
  { endpoint, isStreaming, prompts, counter, onShare }: CountOptions,
): Promise<CountedOutcome[]> {
  return inTurns(outcomes, countOne, onShare);

  async function countOne({ texts, ...outcome }: Outcome): Promise<CountedOutcome> {
    const prompt = prompts[outcome.index % prompts.length];
    const inputTokens = counter ? prompt?.tokens : outcome.promptTokens;
    if (endpoint === 'embeddings') return { ...outcome, inputTokens, outputTokens: undefined };
    if (counter)
      return {
        ...outcome,
        inputTokens,
        outputTokens: sum(await Promise.all(texts.map((text) => counter.count(text)))),
      };
    // Without reported usage, each event is assumed to contain one token.
    const events = isStreaming ? outcome.events : undefined;
    return { ...outcome, inputTokens, outputTokens: outcome.completionTokens ?? events };
  }
}

/** Whether the server reported the usage of every response. */
export interface KnownUsage {
  readonly input: boolean;
  readonly output: boolean;
}

export function knownUsage(outcomes: readonly Pick<Outcome, 'promptTokens' | 'completionTokens'>[]): KnownUsage {
  return {
    input: outcomes.every(({ promptTokens }) => promptTokens !== undefined),
    output: outcomes.every(({ completionTokens }) => completionTokens !== undefined),
  };
}
