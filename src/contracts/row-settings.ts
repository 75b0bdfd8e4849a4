import type { Activation, PoolingMethod } from './row-contracts.ts';
import type { InputSettings } from './row-inputs.ts';

/** The tensors of a model that the operator names, in the keys of the configuration file. */
export interface TensorSettings extends InputSettings {
  readonly output?: string | undefined;
}

/** What the operator says of a model that makes embeddings. */
export interface EmbeddingSettings extends TensorSettings {
  readonly pooling?: PoolingMethod | undefined;
  readonly normalize?: boolean | undefined;
  readonly prompt?: string | undefined;
}

/** What the operator says of a model that scores documents. */
export interface RerankSettings extends TensorSettings {
  readonly activation?: Activation | undefined;
  readonly label?: number | undefined;
}

/** What the operator says of a model that sorts texts into classes. */
export interface ClassifySettings extends TensorSettings {
  readonly activation?: Activation | undefined;
  readonly labels?: readonly string[] | undefined;
}

/** What the operator says of a model, by task. */
export interface RowSettings {
  readonly embedding?: EmbeddingSettings | undefined;
  readonly rerank?: RerankSettings | undefined;
  readonly classify?: ClassifySettings | undefined;
}
