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
  /** The index of the value that is the score. */
  readonly label?: number | undefined;
  /** The names of the classes. */
  readonly labels?: readonly string[] | undefined;
  /** Why the model cannot do it. */
  readonly error?: string;
}

export type RowsDiagnoses = Readonly<Partial<Record<RowTask, RowsDiagnosis>>>;

/** What a model does with rows of text. */
export function rowsOf({ rows }: Pick<NamedModel, 'rows'>, sentence: PromptAssets['sentence']): RowsDiagnoses {
  const facts = rowTasks.flatMap((task) => (rows[task] ? [[task, factsOf(rows[task])] as const] : []));
  const { embedding } = rows;
  if (!embedding) return Object.fromEntries(facts);
  const recipe = recipeOrError(() => recipeOf(embedding, sentence));
  return { ...Object.fromEntries(facts), embedding: { ...factsOf(embedding), ...recipe } };
}

/** The facts of any contract of rows. */
function factsOf(contract: RowsContract & Partial<RerankContract & ClassifyContract>): RowsDiagnosis {
  const { takes, mostTogether: batch, width: dimensions, activation, label, labels } = contract;
  return { takes, batch, dimensions, activation, label, labels };
}

function recipeOrError(recipe: () => EmbeddingRecipe): EmbeddingRecipe | { readonly error: string } {
  try {
    return recipe();
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** What is missing for tasks on rows of text, and how to add it. */
export function rowsRemarks(model: NamedModel, assets: PromptAssets | undefined): string[] {
  const { name } = model;
  const remarks: string[] = [];
  if (!assets?.tokenizer)
    remarks.push(`No tokenizer, so Conch does not count tokens and rejects token ids. Set --tokenizer ${name}=DIR.`);
  if (rowsOf(model, assets?.sentence).embedding?.isGuess)
    remarks.push(
      `Pooling unknown, so Conch uses the mean. Set a tokenizer folder with 1_Pooling/config.json, or models.${name}.embedding.pooling in the configuration file.`,
    );
  const { classify } = model.rows;
  if (classify && firstRowAbility(model)?.name === 'classify' && !classify.labels && !classify.hasLabelFile)
    remarks.push(
      `Its classes have no names. Set models.${name}.classify.labels in the configuration file, or label_filename of its output in config.pbtxt.`,
    );
  if (assets?.tokenizer && model.contextLength() === undefined)
    remarks.push(`Context length unknown. Set it with --context-length ${name}=512.`);
  return [...remarks, ...vllmRemarks(model)];
}

/** The task in one line. */
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
    batch > 1 ? `batches of up to ${batch}` : 'one by one',
    dimensions === undefined ? '' : `${dimensions} values out`,
    pooling === undefined ? '' : `${pooling} pooling in Conch`,
    normalize ? 'normalized' : '',
    prompt ? `prompt ${JSON.stringify(prompt)}` : '',
    activation === undefined || activation === 'none'
      ? ''
      : label === undefined
        ? activation
        : `${activation} of label ${label}`,
    labels === undefined ? '' : `labels ${labels.join(', ')}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
