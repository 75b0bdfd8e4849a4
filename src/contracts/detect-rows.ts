import type { ModelConfig } from '../kserve/messages.ts';
import { findInputs, type InputSettings } from './row-inputs.ts';
import { misnamed } from './row-names.ts';
import { findScores, findVectors, isFinishedScore, widthOf } from './row-outputs.ts';
import { outputRank, tensorRows } from './row-tensors.ts';
import type { Activation, EmbeddingContract, PoolingMethod, RerankContract } from './vectors.ts';

/** What the operator says of a model that makes embeddings. */
export interface EmbeddingSettings extends InputSettings {
  readonly output?: string | undefined;
  readonly pooling?: PoolingMethod | undefined;
  readonly normalize?: boolean | undefined;
  readonly prompt?: string | undefined;
}

/** What the operator says of a model that scores documents. */
export interface RerankSettings extends InputSettings {
  readonly output?: string | undefined;
  readonly activation?: Activation | undefined;
  readonly label?: number | undefined;
}

/** What a model that generates no text can do, by its tensors; a reason where it is set to what does not fit. */
export interface RowsDetection {
  readonly embedding?: EmbeddingContract;
  readonly rerank?: RerankContract;
  readonly reason?: string;
}

interface RowsSettings {
  readonly embedding?: EmbeddingSettings | undefined;
  readonly rerank?: RerankSettings | undefined;
}

/** Finds out whether a model makes vectors of texts or scores pairs of them. */
export function detectRows(config: ModelConfig, { embedding, rerank }: RowsSettings): RowsDetection {
  const wrong = misnamed(config, 'rerank', rerank) ?? misnamed(config, 'embedding', embedding);
  if (wrong !== undefined) return { reason: wrong };
  const reranker = embedding && !rerank ? undefined : rerankContract(config, rerank ?? {});
  if (typeof reranker === 'object') return { rerank: reranker };
  if (rerank) return { reason: reranker ?? 'it is set to rerank, which does not fit its tensors' };
  const embedder = embeddingContract(config, embedding ?? {});
  if (embedder) return { embedding: embedder };
  if (embedding) return { reason: 'it is set to make embeddings, which does not fit its tensors' };
  return reranker === undefined ? {} : { reason: reranker };
}

function embeddingContract(config: ModelConfig, settings: EmbeddingSettings): EmbeddingContract | undefined {
  const output = findVectors(config, settings.output);
  const inputs = output && findInputs(config, { texts: 1, output, settings });
  if (!output || !inputs) return undefined;
  const rank = outputRank(config, inputs, output);
  if (rank !== 1 && rank !== 2) return undefined;
  return {
    ...tensorRows({ inputs, output, rank }),
    kind: 'tensors',
    isPooledHere: rank === 2,
    pooling: settings.pooling,
    normalize: settings.normalize,
    prompt: settings.prompt,
  };
}

/** A text says why a model that scores texts is of no use here. */
function rerankContract(config: ModelConfig, settings: RerankSettings): RerankContract | string | undefined {
  const output = findScores(config, settings.output);
  const inputs = output && findInputs(config, { texts: 2, output, settings });
  if (!output || !inputs) return undefined;
  const rank = outputRank(config, inputs, output);
  if (rank > 1) return undefined;
  const labels = rank === 0 ? 1 : (widthOf(output) ?? 1);
  if (labels > 2 && settings.label === undefined)
    return `it sorts texts into ${labels} classes; to rerank by one of them set rerank.label for it`;
  const label = settings.label ?? labels - 1;
  if (label >= labels) return `it is set to the label ${label}, but has ${labels}, counted from 0`;
  const guessed = labels > 1 ? 'softmax' : isFinishedScore(output.name) ? 'none' : 'sigmoid';
  return {
    ...tensorRows({ inputs, output, rank }),
    activation: settings.activation ?? guessed,
    label,
  };
}
