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
  /** Undefined: what the server says is taken. */
  readonly counter: TokenCounter | undefined;
  readonly onShare?: OnShare | undefined;
}

/** Counts the tokens of the answers, after all of them have come. Their texts have no more use then. */
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
    // A server that says nothing of usage sends a token in each event, as far as anybody can tell.
    const events = isStreaming ? outcome.events : undefined;
    return { ...outcome, inputTokens, outputTokens: outcome.completionTokens ?? events };
  }
}

/** Which of these answers' tokens the server itself has counted, all of them. */
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
