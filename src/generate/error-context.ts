import { guidePath } from '../requests/structure.ts';
import type { ErrorContext } from './generation-errors.ts';
import { structureFields } from './guided-structure.ts';
import type { GenerationPlan, Round, Run } from './plan.ts';

/** What errors of a round need: its contract, and the request fields for the contract's names. */
export function errorContext(
  { plan: { model, promptField }, signal }: ErrorContextRun,
  { structure }: Pick<Round, 'structure'>,
): ErrorContext {
  // Completions have no top_logprobs: there it is the number in logprobs.
  const fields: Record<string, string> = {
    prompt: promptField,
    guide: structure ? guidePath(structure) : 'structured_outputs',
    ...(promptField === 'prompt' ? { top_logprobs: 'logprobs' } : {}),
    ...(structure ? structureFields(structure) : {}),
  };
  return { contract: model.contract, fields, signal };
}

interface ErrorContextRun extends Pick<Run, 'signal'> {
  readonly plan: Pick<GenerationPlan, 'model' | 'promptField'>;
}
