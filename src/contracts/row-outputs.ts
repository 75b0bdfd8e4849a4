import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';

const floats: ReadonlySet<string> = new Set(['TYPE_FP16', 'TYPE_BF16', 'TYPE_FP32']);

/** In the order in which they are preferred: whole vectors, then those of tokens. BERT's pooler_output is neither. */
const namesOfVectors = [
  /^(?:sentence|text|query|document|dense)_?(?:embeddings?|vectors?|vecs?)$/i,
  /^(?:embeddings?|vectors?)$/i,
  /^(?:last_?hidden_?states?|token_?embeddings?|hidden_?states?)$/i,
];

const namesOfScores = /logit|score|prob|relevance|similarity/i;

/** Fewer figures than any vector of a text has: they are classes. */
const fewestFigures = 16;

/** The output that holds vectors: the one that is set, or else one whose name or width fits. */
export function findVectors({ output }: ModelConfig, set: string | undefined): ModelTensor | undefined {
  const all = output.filter(({ data_type: type }) => floats.has(type));
  if (set !== undefined) return all.find(({ name }) => name === set);
  const candidates = all.filter(({ label_filename: labels }) => !labels);
  for (const names of namesOfVectors) {
    const found = candidates.find(({ name }) => names.test(name));
    if (found) return found;
  }
  const [only] = candidates;
  if (!only || candidates.length > 1 || namesOfScores.test(only.name)) return undefined;
  const width = widthOf(only);
  return width === undefined || width >= fewestFigures ? only : undefined;
}

/** The output that holds the score of a pair of texts. */
export function findScores({ output }: ModelConfig, set: string | undefined): ModelTensor | undefined {
  const candidates = output.filter(({ data_type: type }) => floats.has(type));
  if (set !== undefined) return candidates.find(({ name }) => name === set);
  const byName = candidates.find(({ name }) => namesOfScores.test(name));
  const [only] = candidates;
  return byName ?? (candidates.length === 1 && only && widthOf(only) === 1 ? only : undefined);
}

/**
 * The output that holds a figure for each class: the one that is set or has labels, else one that is named like it. With
 * `isSaid`, a single output is taken whatever its name.
 */
export function findClasses(
  { output }: ModelConfig,
  set: string | undefined,
  isSaid: boolean,
): ModelTensor | undefined {
  const candidates = output.filter(({ data_type: type }) => floats.has(type));
  if (set !== undefined) return candidates.find(({ name }) => name === set);
  const labelled = candidates.find(({ label_filename: labels }) => labels);
  const byName = candidates.find(({ name }) => namesOfScores.test(name));
  return labelled ?? byName ?? (isSaid && candidates.length === 1 ? candidates[0] : undefined);
}

/** Whether an output's name says that it is a score, not a logit. */
export function isFinishedScore(name: string): boolean {
  return /score|prob|relevance|similarity/i.test(name) && !/logit/i.test(name);
}

/** How many figures the last dimension has, where the configuration says so. */
export function widthOf({ dims }: ModelTensor): number | undefined {
  const width = dims.at(-1) ?? -1;
  return width > 0 ? width : undefined;
}
