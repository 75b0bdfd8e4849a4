import type { EmbeddingContract, PoolingMethod } from '../contracts/row-contracts.ts';
import { ApiError } from '../errors.ts';
import type { SentenceFolder } from '../prompt/sentence-folder.ts';

/** What is done with texts before a model, and with its figures behind it. */
export interface EmbeddingRecipe {
  /** Undefined where the model itself gives whole vectors. */
  readonly pooling: PoolingMethod | undefined;
  /** Whether the way of pooling is a guess, because nobody says which one is right. */
  readonly isGuess: boolean;
  readonly normalize: boolean;
  /** What stands before every text. */
  readonly prompt: string;
}

/** What the operator has set, else what the model's folder says, else the usual; throws where that cannot be done here. */
export function recipeOf(contract: EmbeddingContract, sentence: SentenceFolder | undefined): EmbeddingRecipe {
  if (contract.kind === 'vllm') return { pooling: undefined, isGuess: false, normalize: false, prompt: '' };
  const normalize = contract.normalize ?? sentence?.normalize ?? contract.isPooledHere;
  const prompt = contract.prompt ?? sentence?.prompt ?? '';
  if (!contract.isPooledHere) return { pooling: undefined, isGuess: false, normalize, prompt };
  const [further] = sentence?.furtherSteps ?? [];
  if (further !== undefined)
    throw unusable(
      `its modules.json has the step ${further}, which Conch does not do; serve it with an output of whole vectors`,
    );
  const known = contract.pooling ?? sentence?.pooling;
  if (known === 'other')
    throw unusable('its folder names a pooling other than mean, cls and last; set embedding.pooling for it');
  return { pooling: known ?? 'mean', isGuess: known === undefined, normalize, prompt };
}

function unusable(reason: string): ApiError {
  return new ApiError('model_not_ready', `The vectors of this model cannot be made: ${reason}.`);
}
