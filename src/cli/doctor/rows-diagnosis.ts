import type { RowsContract } from '../../contracts/vectors.ts';
import { type EmbeddingRecipe, recipeOf } from '../../generate/embedding-recipe.ts';
import type { NamedModel } from '../../models/served-model.ts';
import type { PromptAssets } from '../../prompt/assets.ts';
import { vllmRemarks } from './vllm-remarks.ts';

/** What is to be said of the way in which a model makes vectors or scores. */
export interface RowsDiagnosis extends Partial<EmbeddingRecipe> {
  readonly takes: RowsContract['takes'];
  /** The most texts of one request. */
  readonly batch: number;
  readonly dimensions?: number;
  readonly activation?: string;
  readonly label?: number;
  /** Why it cannot be done. */
  readonly fault?: string;
}

/** How a model makes vectors and scores, where it does. */
export function rowsOf(
  { embedding, rerank }: NamedModel,
  sentence: PromptAssets['sentence'],
): { readonly embedding?: RowsDiagnosis; readonly rerank?: RowsDiagnosis } {
  return {
    ...(embedding
      ? { embedding: { ...sizesOf(embedding), ...recipeOrFault(() => recipeOf(embedding, sentence)) } }
      : {}),
    ...(rerank ? { rerank: { ...sizesOf(rerank), activation: rerank.activation, label: rerank.label } } : {}),
  };
}

function sizesOf({ takes, mostTogether: batch, width }: RowsContract): RowsDiagnosis {
  return { takes, batch, ...(width === undefined ? {} : { dimensions: width }) };
}

function recipeOrFault(recipe: () => EmbeddingRecipe): EmbeddingRecipe | { readonly fault: string } {
  try {
    return recipe();
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** What is missing for vectors or scores, and what mends it. */
export function rowsRemarks(model: NamedModel, assets: PromptAssets | undefined): string[] {
  const { name, embedding } = model;
  const recipe = embedding && rowsOf(model, assets?.sentence).embedding;
  const remarks: string[] = [];
  if (!assets?.tokenizer)
    remarks.push(
      `There is no tokenizer, so tokens are not counted and token ids are refused: --tokenizer ${name}=DIR.`,
    );
  if (recipe?.isGuess)
    remarks.push(
      `Nobody says how the vectors of its tokens become one, so the mean is taken: a tokenizer folder with 1_Pooling/config.json, or models.${name}.embedding.pooling in the configuration file.`,
    );
  if (assets?.tokenizer && model.contextLength() === undefined)
    remarks.push(`Nobody says how long a text may be: --context-length ${name}=N.`);
  return [...remarks, ...vllmRemarks(model)];
}

/** What is done, in one line. */
export function rowsText({
  takes,
  batch,
  dimensions,
  pooling,
  normalize,
  prompt,
  activation,
  label,
}: RowsDiagnosis): string {
  const parts = [
    { text: 'texts in', ids: 'token ids in', either: 'texts or token ids in' }[takes],
    batch > 1 ? `up to ${batch} together` : 'one by one',
    dimensions === undefined ? '' : `${dimensions} figures out`,
    pooling === undefined ? '' : `pooled here: ${pooling}`,
    normalize ? 'scaled to length one' : '',
    prompt ? `after ${JSON.stringify(prompt)}` : '',
    activation === undefined || activation === 'none' ? '' : `${activation} of label ${label}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
