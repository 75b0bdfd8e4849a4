import type { WrittenGuide } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { schemaPlace, type WantedStructure } from '../requests/structure.ts';
import { fieldOf } from './faults.ts';

/** What a response is guided to: as requested, and as sent to the backend. */
export interface GuidedStructure extends WantedStructure {
  /** Left out if the backend gets the requested structure unchanged. */
  readonly guide?: WrittenGuide;
}

/** Writes the structure for a backend. What its libraries do not all support is a 400 that names the field. */
export function guidedStructure(model: ServedModel, wanted: WantedStructure | undefined): GuidedStructure | undefined {
  const write = model.contract.guide;
  if (!wanted || !write) return wanted;
  try {
    return { ...wanted, guide: write(wanted.structure) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null) throw error;
    throw error.renamed(fieldOf(error.param, structureFields(wanted)));
  }
}

/** The request field of each structure that a contract or an engine may refuse. */
export function structureFields({ field, places = {} }: WantedStructure): Record<string, string> {
  const fields: Record<string, string> = { structured_outputs: field, 'structured_outputs.json': schemaPlace(field) };
  for (const name of ['structured_outputs.regex', 'structured_outputs.choice', 'structured_outputs.grammar'])
    fields[name] = field === 'structured_outputs' ? name : field;
  for (const [place, origin] of Object.entries(places)) fields[`structured_outputs.json${place}`] = origin;
  return fields;
}
