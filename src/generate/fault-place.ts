import { guidePlace } from '../requests/structure.ts';
import type { FaultPlace } from './faults.ts';
import { structureFields } from './guided-structure.ts';
import type { GenerationPlan, Round, Run } from './plan.ts';

/** Where the failures of a round happen: its contract, and the request fields behind the contract's names. */
export function faultPlace(
  { plan: { model, promptField }, signal }: FaultyRun,
  { structure }: Pick<Round, 'structure'>,
): FaultPlace {
  // Completions have no top_logprobs: there it is the number in logprobs.
  const fields: Record<string, string> = {
    prompt: promptField,
    guide: structure ? guidePlace(structure) : 'structured_outputs',
    ...(promptField === 'prompt' ? { top_logprobs: 'logprobs' } : {}),
    ...(structure ? structureFields(structure) : {}),
  };
  return { contract: model.contract, fields, signal };
}

interface FaultyRun extends Pick<Run, 'signal'> {
  readonly plan: Pick<GenerationPlan, 'model' | 'promptField'>;
}
