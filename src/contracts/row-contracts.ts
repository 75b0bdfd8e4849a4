import type { ApiError } from '../errors.ts';
import type { InferRequest, InferResponse } from '../kserve/server.ts';
import type { StatusError } from '../kserve/status.ts';
import type { GenerationContract } from './contract.ts';

/** The input of one row of figures: a text (or a query and a document), or its tokens. */
export type InputRow =
  | { readonly texts: readonly string[] }
  | { readonly ids: Int32Array /** Which of two texts each token belongs to. */; readonly types?: Int32Array };

/** The rows that go to a model in one request. */
export interface RowsRequest {
  readonly id: string;
  readonly model: string;
  readonly version: string;
  readonly rows: readonly InputRow[];
  /** The token that fills up shorter rows; left out: 0. */
  readonly padId?: number | undefined;
}

/** What a model returns for one row: `width` figures, or as many for each of its tokens. */
export interface RowFigures {
  readonly figures: Float32Array;
  readonly width: number;
  /** How many tokens the backend found in the row, where it says so. */
  readonly tokens?: number;
  /** The names of the classes, where they were requested in place of figures. */
  readonly labels?: readonly string[];
}

/** A row whose result cannot be used. */
export class RowError extends Error {
  readonly row: number;

  constructor(row: number, reason: string) {
    super(reason);
    this.name = 'RowError';
    this.row = row;
  }
}

/** How texts become figures on one kind of model: translates, and nothing else. */
export interface RowsContract {
  /** What a row may hold. */
  readonly takes: 'text' | 'ids' | 'either';
  /** The most rows of one request. */
  readonly mostTogether: number;
  /** Whether it returns how many tokens a row has. */
  readonly counts: boolean;
  /** How many figures it gives, where its configuration says so. */
  readonly width: number | undefined;
  /** The maximum length of a row in tokens, where the model's configuration has it. */
  readonly longest: number | undefined;
  /** The tensors that are sent and read, for display. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  encode(request: RowsRequest): InferRequest;
  /** One for each row of the request, made when it is taken. Throws a RowError. */
  decode(response: InferResponse, rows: readonly InputRow[]): Iterable<RowFigures>;
  /** How many figures come for each row of a batch whose longest has so many tokens; left out: no more for longer ones. */
  readonly figuresPerRow?: (tokens: number) => number;
  /** The API error of a backend's error text; undefined: unknown. */
  explain(error: StatusError): ApiError | undefined;
}

/** How the vectors of tokens become one: their mean, the first or the last. */
export type PoolingMethod = 'mean' | 'cls' | 'last';

/** How a model makes vectors of texts. */
export interface EmbeddingContract extends RowsContract {
  readonly kind: 'vllm' | 'tensors';
  /** Whether it gives a vector for each token, of which one is made here. */
  readonly isPooledHere: boolean;
  /** What the operator has set; left out: what the model's folder says. */
  readonly pooling: PoolingMethod | undefined;
  readonly normalize: boolean | undefined;
  readonly prompt: string | undefined;
}

/** The function that turns a model's figures into a score between 0 and 1; `none`: they are scores already. */
export type Activation = (typeof activations)[number];

export const activations = ['sigmoid', 'softmax', 'none'] as const;

/** How a model scores documents against a query. */
export interface RerankContract extends RowsContract {
  readonly activation: Activation;
  /** The index of the figure that is the relevance. */
  readonly label: number;
}

/** How a model sorts texts into classes. */
export interface ClassifyContract extends RowsContract {
  readonly activation: Activation;
  /** The name of each class, where the configuration has them. */
  readonly labels: readonly string[] | undefined;
  /** Whether the server has the names in a file; it sends them with a classification only. */
  readonly hasLabelFile: boolean;
}

/** What a model may do with rows of text, by the key of its setting. In the order in which they are listed. */
export const rowTasks = ['embedding', 'rerank', 'classify'] as const;

export type RowTask = (typeof rowTasks)[number];

/** How a model does each of these, where it does. */
export interface RowContracts {
  readonly embedding?: EmbeddingContract;
  readonly rerank?: RerankContract;
  readonly classify?: ClassifyContract;
}

/** The contracts of a model, for all that it does. */
export interface ModelContracts {
  /** How it generates text, where it does. */
  readonly contract: GenerationContract | undefined;
  /** What it does with rows of text. */
  readonly rows: RowContracts;
}

/** Of a model that generates text and nothing else. */
export const noRows: RowContracts = {};
