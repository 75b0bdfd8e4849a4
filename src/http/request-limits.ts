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

/** Messages. Each `tool_result` block of the Messages API becomes a message. */
export const countMessages = messageLimit('messages', {
  field: 'content',
  name: 'tool_result block',
  isResult: ({ type }) => type === 'tool_result',
});
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

/** The contents of Google's API. Each `functionResponse` part becomes a message. */
export const countContents = messageLimit('contents', {
  field: 'parts',
  name: 'functionResponse part',
  isResult: ({ functionResponse }) => functionResponse !== undefined,
});

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

/** The results of tools inside a message. */
interface Results {
  /** The field of a message that has them. */
  readonly field: string;
  readonly name: string;
  readonly isResult: (part: JsonObject) => boolean;
}

/** Limits the messages of a conversation, of which a list has at least one per entry. */
function messageLimit(field: string, results: Results): BodyLimit {
  return (fields, { messages: most }) => {
    const entries = fields[field];
    checkList(field, entries, { most, flag: '--max-messages' });
    if (!Array.isArray(entries)) return;
    const count = entries.reduce((sum: number, entry: unknown) => sum + messagesOf(entry, results), 0);
    if (count > most)
      throw invalid(
        field,
        `must have at most ${most} messages (--max-messages), not ${count}: each ${results.name} is a message.`,
      );
  };
}

/** How many messages an entry becomes: one for each result, and one for all other parts. */
function messagesOf(entry: unknown, { field, isResult }: Results): number {
  const parts: unknown = isJsonObject(entry) ? entry[field] : undefined;
  if (!Array.isArray(parts)) return 1;
  const results = parts.filter((part: unknown) => isJsonObject(part) && isResult(part)).length;
  return results === 0 || results < parts.length ? results + 1 : results;
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
