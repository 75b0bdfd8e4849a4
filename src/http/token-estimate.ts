/** Characters that a token stands for, where nobody counts. */
const charactersPerToken = 4;

/** Tokens that an answer is taken to have whose request does not say how many it may have. */
const usualAnswer = 256;

/** What a request may take, guessed before it is answered. */
export interface TokenEstimate {
  readonly prompt: number;
  readonly answers: number;
}

/** Guesses the tokens of a request by its fields: its texts, and how long its answers may get. */
export function estimateTokens(body: unknown, { answers: hasAnswers }: { readonly answers: boolean }): TokenEstimate {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const most = longestAnswer(fields);
  const choices = Math.max(numberOf(fields['n']) ?? 1, numberOf(fields['best_of']) ?? 1);
  const { prompt } = fields;
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(prompt.length, 1) : 1;
  return {
    prompt: tokensIn(body),
    answers: hasAnswers ? (most ?? usualAnswer) * choices * prompts : 0,
  };
}

/** Tokens of all texts in a value; ids of tokens are tokens, and images are none. */
function tokensIn(body: unknown): number {
  let characters = 0;
  let ids = 0;
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') characters += value.startsWith('data:') ? 0 : value.length;
    else if (Array.isArray(value)) {
      if (typeof value[0] === 'number') ids += value.length;
      else for (const entry of value) open.push(entry);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, entry] of Object.entries(value)) if (!isImage(name, entry)) open.push(entry);
  }
  return Math.ceil(characters / charactersPerToken) + ids;
}

/** Images stand in members of these names, as the base64 of their bytes. */
function isImage(name: string, value: unknown): boolean {
  return name === 'data' || (name === 'images' && Array.isArray(value));
}

/** What a request says that its answer may have, in the words of any API; Ollama's -1 sets no bound. */
function longestAnswer(fields: Readonly<Record<string, unknown>>): number | undefined {
  const most = numberOf(fields['max_completion_tokens'] ?? fields['max_tokens'] ?? fields['max_output_tokens']);
  const predicted = numberOf((fields['options'] as { num_predict?: unknown } | null | undefined)?.num_predict) ?? 0;
  return most ?? (predicted > 0 ? predicted : undefined);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
