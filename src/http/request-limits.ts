import { ApiError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';

/** Limits of one request. They may change while Conch runs. */
export interface RequestLimits {
  readonly messages: number;
  readonly tools: number;
  readonly stopStrings: number;
  readonly choices: number;
}

/** Rejects a body above a limit. */
export type BodyLimit = (fields: JsonObject, limits: RequestLimits) => void;

/** The limits that an endpoint may apply to its body. */
export const countMessages = listLimit('messages', 'messages', '--max-messages');
export const countTools = listLimit('tools', 'tools', '--max-tools');
export const countStop = listLimit('stop', 'stopStrings', '--max-stop-strings');
export const countStopSequences = listLimit('stop_sequences', 'stopStrings', '--max-stop-strings');

/** Ollama's clients send stop sequences in `options`. */
export const countOptionsStop: BodyLimit = ({ options }, { stopStrings: most }) => {
  const { stop } = (options ?? {}) as { readonly stop?: unknown };
  checkList('options.stop', stop, { most, flag: '--max-stop-strings' });
};

/** The input items of the Responses API. */
export const countItems: BodyLimit = ({ input }, { messages: most }) => {
  if (Array.isArray(input) && isJsonObject(input[0])) checkList('input', input, { most, flag: '--max-messages' });
};

/** The contents of Google's API. */
export const countContents = listLimit('contents', 'messages', '--max-messages');

/** Google's clients declare several functions in one tool. */
export const countFunctions: BodyLimit = ({ tools }, { tools: most }) => {
  if (!Array.isArray(tools)) return;
  const functions = tools.flatMap((tool: unknown) => {
    const { functionDeclarations: declared } = isJsonObject(tool) ? tool : {};
    return Array.isArray(declared) ? (declared as unknown[]) : [];
  });
  checkList('tools', functions, { most, flag: '--max-tools' });
};

/** Google's clients send stop sequences and the number of choices in `generationConfig`. */
export const countGenerationConfig: BodyLimit = ({ generationConfig: config }, limits) => {
  if (!isJsonObject(config)) return;
  const { stopSequences, candidateCount } = config;
  checkList('generationConfig.stopSequences', stopSequences, { most: limits.stopStrings, flag: '--max-stop-strings' });
  checkChoices('generationConfig.candidateCount', candidateCount, { prompts: 1, most: limits.choices });
};

/** Choices, multiplied by the number of prompts. */
export const countChoices: BodyLimit = ({ n, best_of: bestOf, prompt }, { choices: most }) => {
  const prompts = countPrompts(prompt);
  checkChoices('n', n, { prompts, most });
  checkChoices('best_of', bestOf, { prompts, most });
  if (prompts > most) throw invalid('prompt', `must have at most ${most} entries (--max-choices), not ${prompts}.`);
};

/** How many prompts a completion has: one text, one list of token ids, or a list of either. */
export function countPrompts(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(prompt.length, 1) : 1;
}

/** Rejects a body above the limits, before it is parsed further. */
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
    throw invalid(field, `must have at most ${most} entries (${flag}), not ${value.length}.`);
}

interface Choices {
  readonly prompts: number;
  readonly most: number;
}

function checkChoices(field: string, value: unknown, { prompts, most }: Choices): void {
  const choices = typeof value === 'number' ? value * prompts : 0;
  if (choices <= most) return;
  const text = prompts === 1 ? '' : ` for ${prompts} prompts`;
  throw invalid(field, `must give at most ${most} choices (--max-choices), not ${choices}${text}.`);
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
