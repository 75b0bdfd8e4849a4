import type { EmbeddingContract, PoolingMethod } from '../contracts/row-contracts.ts';
import { ApiError } from '../errors.ts';
import type { SentenceFolder } from '../prompt/sentence-folder.ts';

/** How texts are prepared for a model, and how its output becomes a vector. */
export interface EmbeddingRecipe {
  /** Undefined if the model itself returns whole vectors. */
  readonly pooling: PoolingMethod | undefined;
  /** Whether the pooling method is a guess, because neither the operator nor the model's folder sets it. */
  readonly isGuess: boolean;
  readonly normalize: boolean;
  /** The prefix of every text. */
  readonly prompt: string;
}

/** The operator's settings, else those of the model's folder, else the defaults; throws if they are not supported. */
export function recipeOf(contract: EmbeddingContract, sentence: SentenceFolder | undefined): EmbeddingRecipe {
  if (contract.kind === 'vllm') return { pooling: undefined, isGuess: false, normalize: false, prompt: '' };
  const normalize = contract.normalize ?? sentence?.normalize ?? contract.isPooledHere;
  const prompt = contract.prompt ?? sentence?.prompt ?? '';
  if (!contract.isPooledHere) return { pooling: undefined, isGuess: false, normalize, prompt };
  const [further] = sentence?.furtherSteps ?? [];
  if (further !== undefined)
    throw unusable(
      `its modules.json has the step ${further}, which Conch does not support. Serve it with an output of whole vectors`,
    );
  const known = contract.pooling ?? sentence?.pooling;
  if (known === 'other')
    throw unusable('its folder names a pooling other than mean, cls and last. Set embedding.pooling for it');
  return { pooling: known ?? 'mean', isGuess: known === undefined, normalize, prompt };
}

function unusable(reason: string): ApiError {
  return new ApiError('model_not_ready', `This model cannot return embeddings: ${reason}.`);
}
