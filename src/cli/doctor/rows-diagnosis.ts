import {
  type ClassifyContract,
  type RerankContract,
  type RowsContract,
  type RowTask,
  rowTasks,
} from '../../contracts/row-contracts.ts';
import { type EmbeddingRecipe, recipeOf } from '../../generate/embedding-recipe.ts';
import { firstRowAbility } from '../../models/abilities.ts';
import type { NamedModel } from '../../models/served-model.ts';
import type { PromptAssets } from '../../prompt/assets.ts';
import { vllmRemarks } from './vllm-remarks.ts';

/** What is to be said of the way in which a model makes figures of texts. */
export interface RowsDiagnosis extends Partial<EmbeddingRecipe> {
  readonly takes: RowsContract['takes'];
  /** The most texts of one request. */
  readonly batch: number;
  readonly dimensions?: number | undefined;
  readonly activation?: string | undefined;
  /** Which of the figures is read. */
  readonly label?: number | undefined;
  /** The names of the classes. */
  readonly labels?: readonly string[] | undefined;
  /** Why it cannot be done. */
  readonly fault?: string;
}

export type RowsDiagnoses = Readonly<Partial<Record<RowTask, RowsDiagnosis>>>;

/** What a model does with rows of text. */
export function rowsOf({ rows }: Pick<NamedModel, 'rows'>, sentence: PromptAssets['sentence']): RowsDiagnoses {
  const facts = rowTasks.flatMap((task) => (rows[task] ? [[task, factsOf(rows[task])] as const] : []));
  const { embedding } = rows;
  if (!embedding) return Object.fromEntries(facts);
  const recipe = recipeOrFault(() => recipeOf(embedding, sentence));
  return { ...Object.fromEntries(facts), embedding: { ...factsOf(embedding), ...recipe } };
}

/** What any contract of rows says of itself. */
function factsOf(contract: RowsContract & Partial<RerankContract & ClassifyContract>): RowsDiagnosis {
  const { takes, mostTogether: batch, width: dimensions, activation, label, labels } = contract;
  return { takes, batch, dimensions, activation, label, labels };
}

function recipeOrFault(recipe: () => EmbeddingRecipe): EmbeddingRecipe | { readonly fault: string } {
  try {
    return recipe();
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** What is missing for figures of texts, and what mends it. */
export function rowsRemarks(model: NamedModel, assets: PromptAssets | undefined): string[] {
  const { name } = model;
  const remarks: string[] = [];
  if (!assets?.tokenizer)
    remarks.push(
      `There is no tokenizer, so tokens are not counted and token ids are refused: --tokenizer ${name}=DIR.`,
    );
  if (rowsOf(model, assets?.sentence).embedding?.isGuess)
    remarks.push(
      `Nobody says how the vectors of its tokens become one, so the mean is taken: a tokenizer folder with 1_Pooling/config.json, or models.${name}.embedding.pooling in the configuration file.`,
    );
  const { classify } = model.rows;
  if (classify && firstRowAbility(model)?.name === 'classify' && !classify.labels && !classify.hasLabelFile)
    remarks.push(
      `Its classes have no names: set models.${name}.classify.labels in the configuration file, or label_filename of its output in config.pbtxt.`,
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
  labels,
}: RowsDiagnosis): string {
  const parts = [
    { text: 'texts in', ids: 'token ids in', either: 'texts or token ids in' }[takes],
    batch > 1 ? `up to ${batch} together` : 'one by one',
    dimensions === undefined ? '' : `${dimensions} figures out`,
    pooling === undefined ? '' : `pooled here: ${pooling}`,
    normalize ? 'scaled to length one' : '',
    prompt ? `after ${JSON.stringify(prompt)}` : '',
    activation === undefined || activation === 'none'
      ? ''
      : label === undefined
        ? activation
        : `${activation} of label ${label}`,
    labels === undefined ? '' : `labels ${labels.join(', ')}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
