import { guidePlace } from '../requests/structure.ts';
import type { FaultPlace } from './faults.ts';
import { structureFields } from './guided-structure.ts';
import type { GenerationPlan, Round, Run } from './plan.ts';

/** What errors of a round need: its contract, and the request fields for the contract's names. */
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
