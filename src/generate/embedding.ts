import { pool, unit } from '../contracts/pooling.ts';
import type { EmbeddingContract } from '../contracts/vectors.ts';
import { ApiError } from '../errors.ts';
import type { NamedModel } from '../models/served-model.ts';
import { during, type RequestWatch } from '../request-watch.ts';
import type { EmbeddingRequest } from '../requests/embedding-request.ts';
import { answerId } from './answer-options.ts';
import { embeddingRows } from './embedding-inputs.ts';
import { recipeOf } from './embedding-recipe.ts';
import { inferRows } from './infer-rows.ts';

/** What the pipeline of vectors and scores needs from outside the request. */
export interface RowsContext {
  /** The model of this name, whatever it can do. */
  readonly findModel: (name: string) => NamedModel;
  /** Hears how the request goes. */
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** The vectors of a request in its order, and how many tokens they stand for, where somebody counted. */
export interface Embeddings {
  readonly vectors: readonly Float32Array[];
  readonly promptTokens: number | undefined;
}

/** Said of a model whose figures are NaN or infinite. */
export const noNumbers = 'the model gave figures that are no numbers (NaN or infinity)';

/** Makes a vector of each input. */
export async function embed(
  { model: name, input, dimensions }: Pick<EmbeddingRequest, 'model' | 'input' | 'dimensions'>,
  { findModel, timeout, watch }: RowsContext,
  signal: AbortSignal,
): Promise<Embeddings> {
  const model = findModel(name);
  const contract = embeddingOf(model);
  const wanted = dimensions ?? undefined;
  refuseWider(wanted, contract.width);
  const { sentence, padTokenId: padId } = await model.assets();
  const recipe = recipeOf(contract, sentence);
  const placeOf = (row: number): string => (input.isList ? `input[${row}]` : 'input');
  const place = { model, contract, prompt: recipe.prompt, placeOf, signal };
  const { rows, tokens } = await during(watch, 'tokenize', () => embeddingRows(input.items, place));
  const counts = { promptTokens: sumOf(tokens), completionTokens: 0 };
  watch.counts(counts);
  let width = contract.width;
  const results = await inferRows(rows, {
    model,
    contract,
    requestId: answerId('embd'),
    padId,
    field: 'input',
    placeOf,
    signal,
    watch,
    timeout,
    finish: (figures, row, refuse) => {
      width ??= figures.width;
      if (figures.width !== width || width === 0)
        return refuse(`the model gave a vector of ${figures.width} figures, not of ${width}`);
      refuseWider(wanted, width);
      const { pooling } = recipe;
      const sent = rows[row];
      // A model that makes tokens of a text itself may cut it, and gives vectors of those that are left.
      const count = sent && 'ids' in sent ? sent.ids.length : figures.figures.length / width;
      const whole = pooling ? pool(figures.figures, { width, tokens: count, method: pooling }) : figures.figures;
      if (whole.length !== width) return refuse(`its vector has ${whole.length} figures, not ${width}`);
      if (!whole.every(Number.isFinite)) return refuse(noNumbers);
      const cut = whole.subarray(0, wanted);
      const vector = recipe.normalize || cut.length < width ? unit(cut) : cut;
      return { vector, tokens: figures.tokens ?? tokens[row] };
    },
  });
  counts.promptTokens = sumOf(results.map((result) => result.tokens));
  return { vectors: results.map(({ vector }) => vector), promptTokens: counts.promptTokens };
}

function embeddingOf({ name, embedding, rerank }: NamedModel): EmbeddingContract {
  if (embedding) return embedding;
  const instead = rerank ? 'it scores documents: POST /v1/rerank.' : 'it generates text: POST /v1/chat/completions.';
  throw new ApiError('invalid_request', `model: ${name} makes no embeddings; ${instead}`, { param: 'model' });
}

function refuseWider(wanted: number | undefined, width: number | undefined): void {
  if (wanted === undefined || width === undefined || wanted <= width) return;
  const message = `dimensions: must be at most ${width}, which is how many this model's vectors have.`;
  throw new ApiError('invalid_request', message, { param: 'dimensions' });
}

/** The sum of counts; undefined where one of them is not known. */
export function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
