import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';

/** How much one request may ask for. It may change while Conch runs. */
export interface RequestLimits {
  readonly messages: number;
  readonly tools: number;
  readonly stopStrings: number;
  readonly choices: number;
}

/** The lists of a request that are counted, and the setting of each limit. */
const lists = [
  ['messages', 'messages', '--max-messages'],
  ['tools', 'tools', '--max-tools'],
  ['stop', 'stopStrings', '--max-stop-strings'],
  ['stop_sequences', 'stopStrings', '--max-stop-strings'],
] as const satisfies readonly (readonly [string, keyof RequestLimits, string])[];

/** Refuses a body that asks for more than it may, before anything else is done with it. */
export function checkCounts(body: unknown, limits: RequestLimits): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const fields = body as Readonly<Record<string, unknown>>;
  for (const [field, limit, flag] of lists) checkList(field, fields[field], { most: limits[limit], flag });
  // Ollama's clients say it among the options.
  const { stop } = (fields['options'] ?? {}) as { readonly stop?: unknown };
  checkList('options.stop', stop, { most: limits.stopStrings, flag: '--max-stop-strings' });
  // The items of a response are objects; the texts and tokens of embeddings have a limit of their own.
  const { input } = fields;
  if (Array.isArray(input) && isJsonObject(input[0]))
    checkList('input', input, { most: limits.messages, flag: '--max-messages' });
  checkChoices(fields, limits.choices);
}

interface Limit {
  readonly most: number;
  readonly flag: string;
}

function checkList(field: string, value: unknown, { most, flag }: Limit): void {
  if (Array.isArray(value) && value.length > most)
    throw invalid(field, `must hold at most ${most} (${flag}), not ${value.length}.`);
}

function checkChoices({ n, best_of: bestOf, prompt }: Readonly<Record<string, unknown>>, most: number): void {
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(prompt.length, 1) : 1;
  for (const [field, value] of [
    ['n', n],
    ['best_of', bestOf],
  ] as const) {
    const answers = typeof value === 'number' ? value * prompts : 0;
    if (answers > most)
      throw invalid(field, `${answersText(answers, prompts)} are more than the ${most} allowed (--max-choices).`);
  }
  if (prompts > most) throw invalid('prompt', `must hold at most ${most} (--max-choices), not ${prompts}.`);
}

function answersText(answers: number, prompts: number): string {
  return prompts === 1 ? `${answers} answers` : `${answers} answers, to ${prompts} prompts,`;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
