import type { Sampling } from '../contracts/contract.ts';
import { AnswerText } from '../output/answer-text.ts';
import type { TokenTable } from '../tokenizer.ts';
import type { GenerationPlan, Round } from './plan.ts';

type StopPlan = Pick<GenerationPlan, 'model' | 'tellsStop' | 'continuesText'>;

/** Whether stop sequences are looked for on this side. */
export function cutsHere({ model }: StopPlan, { stop = [] }: Sampling): boolean {
  return !model.contract.cutsStopTexts && stop.length > 0;
}

/** Whether the backend is asked to leave the stop sequence in, so that it is seen, and cut, here. */
function asksForStop({ tellsStop, model }: StopPlan, { stop = [], minTokens = 0 }: Sampling): boolean {
  // Until it has so many tokens, a backend takes no notice of stop sequences; here they would end the response.
  return tellsStop && model.contract.cutsStopTexts && stop.length > 0 && minTokens === 0;
}

/** The sampling that the backend is sent. */
export function withStopText(plan: StopPlan, sampling: Sampling): Sampling {
  return asksForStop(plan, sampling) ? { ...sampling, includeStopText: true } : sampling;
}

/** Makes the texts of responses where the backend gives tokens, or does not end at stop sequences itself. */
export function textMaker(
  plan: StopPlan,
  { sampling }: Pick<Round, 'sampling'>,
  table: TokenTable | undefined,
): (() => AnswerText) | undefined {
  if (!table && !cutsHere(plan, sampling) && !asksForStop(plan, sampling)) return undefined;
  const { stop: stops = [], includeStopText: keepsStop = false, skipSpecialTokens = true } = sampling;
  const { continuesText } = plan;
  return () => new AnswerText({ stops, keepsStop, table, skipSpecialTokens, continuesText });
}
