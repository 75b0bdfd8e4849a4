import { ApiError } from '../errors.ts';
import { checkSchema } from '../json-schema/check.ts';
import { isJudged } from '../json-schema/validate.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { MadeCall } from '../requests/made-calls.ts';
import { schemaPlace, type WantedStructure } from '../requests/structure.ts';
import type { CheckedForm } from './form-reader.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the calls of an answer are held against. */
export interface CallRules {
  /** Whether there must be one. */
  readonly isRequired: boolean;
  /** The schemas of the arguments, by function; those of others are free. */
  readonly schemas: ReadonlyMap<string, Json>;
}

/** What the backend does not, or may not, make of an answer by itself: the answer is held against it here. */
export interface Emulation {
  /** Whether the backend guides the answer to it, as far as it can; left out: it is only asked for in the prompt. */
  readonly isGuided?: true;
  /** That of an answer without calls. */
  readonly form?: CheckedForm;
  /** Left out where there are no tools. */
  readonly calls?: CallRules;
  /** The request field that asks for it. */
  readonly field: string;
  /** How many tries an unstreamed answer gets after the first. */
  readonly retries: number;
}

/** An answer that did not have its form. */
export interface WrongAnswer {
  readonly text: string;
  readonly calls: readonly MadeCall[];
  readonly fault: string;
}

/** Asks for a better answer: the prompt of the next try. */
export type Correct = (answer: WrongAnswer) => Promise<string>;

/** Whether the backend can make answers have a form. */
export function canGuide(model: ServedModel): boolean {
  return model.contract.support('structured_outputs').kind !== 'refused';
}

/** Whether the form of a text must be, and can be, emulated; schemas with keywords that cannot be checked are refused. */
export function emulationOf(
  model: ServedModel,
  wanted: WantedStructure | undefined,
  retries: number,
): Emulation | undefined {
  if (!wanted || retries === 0 || canGuide(model)) return undefined;
  const form = checkedForm(wanted);
  return form && { form, field: wanted.field, retries };
}

/** A form that answers can be held against; undefined for a grammar. A keyword that cannot be checked is refused. */
export function checkedForm({ structure: form, field }: WantedStructure): CheckedForm | undefined {
  if ('grammar' in form) return undefined;
  if ('json' in form) checkSchema(form.json, schemaPlace(field), { knows: isJudged });
  return form;
}

/** Refuses a field that cannot be had beside an emulated form. */
export function refuseBesideEmulation({ field }: Emulation, param: string): never {
  const reason = `not together with ${field}, which the backend of this model cannot guide answers to.`;
  throw new ApiError('unsupported_parameter', `${param}: ${reason}`, { param });
}

const longestFault = 200;

/** The fault of a model whose answers do not have their form. */
export function invalidAnswer(emulation: Emulation, fault: string, tries: number): ApiError {
  const after = tries === 1 ? '' : ` after ${tries} tries`;
  return new ApiError(
    'structured_output_invalid',
    `The answer does not have the form that was asked for${after}: ${fault.slice(0, longestFault)}.`,
    { param: emulation.field, headers: { 'x-conch-structured': structuredHeader(emulation, tries) }, isFinal: true },
  );
}

/** The fault of a request whose form takes too long to look for. */
export function undecided({ field }: Emulation, message: string): ApiError {
  return new ApiError('invalid_request', `${field}: ${message}`, { param: field });
}

/** How an answer says that its form was emulated, or that its guide was checked, and how many tries that took. */
export function structuredHeader({ isGuided }: Pick<Emulation, 'isGuided'>, tries: number): string {
  return `${isGuided ? 'guided' : 'emulated'}; tries=${tries}`;
}
