import { guidePlace, schemaPlace, type WantedStructure } from '../openai/structure.ts';
import type { FaultPlace } from './faults.ts';
import type { GenerationOptions } from './generation.ts';

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
    guide: 'structured_outputs',
    ...(promptField === 'prompt' ? { top_logprobs: 'logprobs' } : {}),
    ...(structure ? structureFields(structure) : {}),
  };
  return { contract: model.contract, fields, signal };
}

/** Where each form that an engine may refuse stands in the request. */
function structureFields(wanted: WantedStructure): Record<string, string> {
  const { field, places = {} } = wanted;
  const fields: Record<string, string> = {
    guide: guidePlace(wanted),
    structured_outputs: field,
    'structured_outputs.json': schemaPlace(field),
  };
  for (const name of ['structured_outputs.regex', 'structured_outputs.choice', 'structured_outputs.grammar'])
    fields[name] = field === 'structured_outputs' ? name : field;
  for (const [place, origin] of Object.entries(places)) fields[`structured_outputs.json${place}`] = origin;
  return fields;
}
