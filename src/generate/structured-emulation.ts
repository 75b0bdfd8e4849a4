import { ApiError } from '../errors.ts';
import { checkSchema } from '../json-schema/check.ts';
import { isJudged } from '../json-schema/validate.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { MadeCall } from '../requests/made-calls.ts';
import { type RequestedStructure, schemaPath } from '../requests/structure.ts';
import type { CheckableStructure } from './structure-reader.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the calls of a response are checked against. */
export interface CallRules {
  /** Whether there must be one. */
  readonly isRequired: boolean;
  /** The schemas of the arguments, by function; arguments of other functions are not checked. */
  readonly schemas: ReadonlyMap<string, Json>;
}

/** What Conch checks a response against, because the backend does not guarantee it. */
export interface Emulation {
  /** Whether the backend guides the response as far as it can; left out: only the prompt asks for it. */
  readonly isGuided?: true;
  /** The structure of a response without calls. */
  readonly structure?: CheckableStructure;
  /** Left out if there are no tools. */
  readonly calls?: CallRules;
  /** The request field that asks for it. */
  readonly field: string;
  /** How many tries an unstreamed response gets after the first. */
  readonly retries: number;
}

/** A response that does not match its structure. */
export interface MismatchedResponse {
  readonly text: string;
  readonly calls: readonly MadeCall[];
  readonly violation: string;
}

/** Writes the prompt of the next try, which requests a corrected response. */
export type WriteCorrection = (response: MismatchedResponse) => Promise<string>;

/** Whether the backend supports guided decoding. */
export function canGuide(model: ServedModel): boolean {
  return model.contract.support('structured_outputs').kind !== 'refused';
}

/** The emulation of a structure, if it is needed and possible. Refuses keywords that cannot be checked. */
export function emulationOf(
  model: ServedModel,
  requestedStructure: RequestedStructure | undefined,
  retries: number,
): Emulation | undefined {
  if (!requestedStructure || retries === 0 || canGuide(model)) return undefined;
  const structure = checkableStructure(requestedStructure);
  return structure && { structure, field: requestedStructure.field, retries };
}

/** A structure that can be checked; undefined for a grammar or a structural tag. Refuses keywords that cannot be checked. */
export function checkableStructure({ structure, field }: RequestedStructure): CheckableStructure | undefined {
  if ('grammar' in structure || 'structural_tag' in structure) return undefined;
  if ('json' in structure) checkSchema(structure.json, schemaPath(field), { knows: isJudged });
  return structure;
}

/** Refuses a field that cannot be combined with an emulated structure. */
export function refuseBesideEmulation({ field }: Emulation, param: string): never {
  const reason = `cannot be combined with ${field}, because the backend of this model does not support guided decoding.`;
  throw new ApiError('unsupported_parameter', `${param}: ${reason}`, { param });
}

const longestViolation = 200;

/** The error for a response that does not match its structure. */
export function invalidResponse(emulation: Emulation, violation: string, tries: number): ApiError {
  const after = tries === 1 ? '' : ` after ${tries} tries`;
  return new ApiError(
    'structured_output_invalid',
    `The response does not match the requested structure${after}: ${violation.slice(0, longestViolation)}.`,
    { param: emulation.field, headers: { 'x-conch-structured': structuredHeader(emulation, tries) }, isFinal: true },
  );
}

/** The error for a structure that takes too long to check. */
export function undecided({ field }: Emulation, message: string): ApiError {
  return new ApiError('invalid_request', `${field}: ${message}`, { param: field });
}

/** The header that says whether the structure was emulated or its guide checked, and how many tries that took. */
export function structuredHeader({ isGuided }: Pick<Emulation, 'isGuided'>, tries: number): string {
  return `${isGuided ? 'guided' : 'emulated'}; tries=${tries}`;
}
