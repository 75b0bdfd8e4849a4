import type { WrittenGuide } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { type RequestedStructure, schemaPath } from '../requests/structure.ts';
import { fieldOf } from './generation-errors.ts';

/** What a response is guided to: as requested, and as sent to the backend. */
export interface GuidedStructure extends RequestedStructure {
  /** Left out if the backend gets the requested structure unchanged. */
  readonly guide?: WrittenGuide;
}

/** Writes the structure for a backend. What its libraries do not all support is a 400 that names the field. */
export function guidedStructure(
  model: ServedModel,
  requestedStructure: RequestedStructure | undefined,
): GuidedStructure | undefined {
  const write = model.contract.guide;
  if (!requestedStructure || !write) return requestedStructure;
  try {
    return { ...requestedStructure, guide: write(requestedStructure.structure) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null) throw error;
    throw error.renamed(fieldOf(error.param, structureFields(requestedStructure)));
  }
}

/** The request field of each structure that a contract or an engine may refuse. */
export function structureFields({ field, paths = {} }: RequestedStructure): Record<string, string> {
  const fields: Record<string, string> = { structured_outputs: field, 'structured_outputs.json': schemaPath(field) };
  for (const kind of ['regex', 'choice', 'grammar', 'structural_tag'])
    fields[`structured_outputs.${kind}`] = field === 'structured_outputs' ? `structured_outputs.${kind}` : field;
  for (const [path, origin] of Object.entries(paths)) fields[`structured_outputs.json${path}`] = origin;
  return fields;
}
