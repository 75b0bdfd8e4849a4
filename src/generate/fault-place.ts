import { guidePlace } from '../requests/structure.ts';
import type { FaultPlace } from './faults.ts';
import type { GenerationOptions } from './generation.ts';
import { structureFields } from './guided-structure.ts';

/** Where the failures of a generation happen: its contract, and the request fields behind the contract's names. */
export function faultPlace({
  model,
  promptField,
  structure,
  signal,
}: Pick<GenerationOptions, 'model' | 'promptField' | 'structure' | 'signal'>): FaultPlace {
  // Completions have no top_logprobs: there it is the number in logprobs.
  const fields: Record<string, string> = {
    prompt: promptField,
    guide: structure ? guidePlace(structure) : 'structured_outputs',
    ...(promptField === 'prompt' ? { top_logprobs: 'logprobs' } : {}),
    ...(structure ? structureFields(structure) : {}),
  };
  return { contract: model.contract, fields, signal };
}
