import type { Sampling } from '../contracts/contract.ts';
import { CompletionText } from '../output/completion-text.ts';
import type { TokenTable } from '../tokenizer.ts';
import type { GenerationPlan, Round } from './plan.ts';

type StopPlan = Pick<GenerationPlan, 'model' | 'tellsStop' | 'continuesText'>;

/** Whether Conch searches for stop sequences. */
export function cutsHere({ model }: StopPlan, { stop = [] }: Sampling): boolean {
  return !model.contract.cutsStopTexts && stop.length > 0;
}

/** Whether the backend returns the stop sequence too, so that Conch sees it and cuts it off. */
function asksForStop({ tellsStop, model }: StopPlan, { stop = [], minTokens = 0 }: Sampling): boolean {
  // Below min_tokens a backend ignores stop sequences; in Conch they would end the response.
  return tellsStop && model.contract.cutsStopTexts && stop.length > 0 && minTokens === 0;
}

/** The sampling for the backend. */
export function withStopText(plan: StopPlan, sampling: Sampling): Sampling {
  return asksForStop(plan, sampling) ? { ...sampling, includeStopText: true } : sampling;
}

/** Makes the texts of responses if the backend returns tokens, or does not stop at stop sequences itself. */
export function textMaker(
  plan: StopPlan,
  { sampling }: Pick<Round, 'sampling'>,
  table: TokenTable | undefined,
): (() => CompletionText) | undefined {
  if (!table && !cutsHere(plan, sampling) && !asksForStop(plan, sampling)) return undefined;
  const { stop: stops = [], includeStopText: keepsStop = false, skipSpecialTokens = true, minTokens } = sampling;
  const { continuesText } = plan;
  return () => new CompletionText({ stops, keepsStop, table, skipSpecialTokens, continuesText, minTokens });
}
