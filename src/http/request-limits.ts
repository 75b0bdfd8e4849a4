import { ApiError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';

/** How much one request may ask for. It may change while Conch runs. */
export interface RequestLimits {
  readonly messages: number;
  readonly tools: number;
  readonly stopStrings: number;
  readonly choices: number;
}

/** Refuses a body that asks for more than one of the limits allows. */
export type BodyLimit = (fields: JsonObject, limits: RequestLimits) => void;

/** What endpoints may count; each names those that fit its body. */
export const countMessages = listLimit('messages', 'messages', '--max-messages');
export const countTools = listLimit('tools', 'tools', '--max-tools');
export const countStop = listLimit('stop', 'stopStrings', '--max-stop-strings');
export const countStopSequences = listLimit('stop_sequences', 'stopStrings', '--max-stop-strings');

/** Ollama's clients send them among the options. */
export const countOptionsStop: BodyLimit = ({ options }, { stopStrings: most }) => {
  const { stop } = (options ?? {}) as { readonly stop?: unknown };
  checkList('options.stop', stop, { most, flag: '--max-stop-strings' });
};

/** The items of a response. */
export const countItems: BodyLimit = ({ input }, { messages: most }) => {
  if (Array.isArray(input) && isJsonObject(input[0])) checkList('input', input, { most, flag: '--max-messages' });
};

/** Choices, of each of the prompts. */
export const countChoices: BodyLimit = ({ n, best_of: bestOf, prompt }, { choices: most }) => {
  const prompts = countPrompts(prompt);
  checkChoices('n', n, { prompts, most });
  checkChoices('best_of', bestOf, { prompts, most });
  if (prompts > most) throw invalid('prompt', `must hold at most ${most} (--max-choices), not ${prompts}.`);
};

/** How many prompts a completion has: one text, one list of token ids, or a list of either. */
export function countPrompts(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(prompt.length, 1) : 1;
}

/** Refuses a body that asks for more than it may, before anything else is done with it. */
export function checkLimits(body: unknown, checks: readonly BodyLimit[], limits: RequestLimits): void {
  if (isJsonObject(body)) for (const check of checks) check(body, limits);
}

function listLimit(field: string, limit: keyof RequestLimits, flag: string): BodyLimit {
  return (fields, limits) => checkList(field, fields[field], { most: limits[limit], flag });
}

interface Limit {
  readonly most: number;
  readonly flag: string;
}

function checkList(field: string, value: unknown, { most, flag }: Limit): void {
  if (Array.isArray(value) && value.length > most)
    throw invalid(field, `must hold at most ${most} (${flag}), not ${value.length}.`);
}

interface Choices {
  readonly prompts: number;
  readonly most: number;
}

function checkChoices(field: string, value: unknown, { prompts, most }: Choices): void {
  const choices = typeof value === 'number' ? value * prompts : 0;
  if (choices <= most) return;
  const text = prompts === 1 ? `${choices} answers` : `${choices} answers, to ${prompts} prompts,`;
  throw invalid(field, `${text} are more than the ${most} allowed (--max-choices).`);
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
