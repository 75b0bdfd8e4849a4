import { pool, unit } from '../contracts/pooling.ts';
import type { EmbeddingContract } from '../contracts/row-contracts.ts';
import { ApiError } from '../errors.ts';
import type { EmbeddingInput, EmbeddingRequest } from '../requests/embedding-request.ts';
import type { Signal } from '../signal.ts';
import { recipeOf } from './embedding-recipe.ts';
import { noNumbers, type ReadyRows, type RowsContext, type RowsPlan, readyRows, runRows } from './rows.ts';

/** The request fields that vectors depend on. */
type VectorRequest = Pick<EmbeddingRequest, 'model' | 'input' | 'dimensions'>;

/** The vectors of a request in its order, and the number of its tokens, if known. */
export interface Embeddings {
  readonly vectors: readonly Float32Array[];
  readonly promptTokens: number | undefined;
}

/** Makes a vector of each input. */
export async function embed(request: VectorRequest, context: RowsContext, signal: Signal): Promise<Embeddings> {
  const plan = planEmbedding(request, await readyRows(request.model, 'embedding', context));
  const { results, promptTokens } = await runRows(plan, context, signal);
  return { vectors: results, promptTokens };
}

/** Decides how a vector is made of each input. */
export function planEmbedding(
  { input, dimensions }: Pick<VectorRequest, 'input' | 'dimensions'>,
  { model, contract, assets }: ReadyRows<EmbeddingContract>,
): RowsPlan<Float32Array> {
  const requestedWidth = dimensions ?? undefined;
  refuseWider(requestedWidth, contract.width);
  const { pooling, normalize, prompt } = recipeOf(contract, assets.sentence);
  return {
    idPrefix: 'embd',
    model,
    contract,
    assets,
    ...inputRows(input, prompt),
    width: contract.width,
    finish: ({ figures, width, expected, sent }, refuse) => {
      if (width !== expected || width === 0)
        return refuse(`the model returned a vector of ${width} values, not of ${expected}`);
      refuseWider(requestedWidth, width);
      // A model that tokenizes texts itself may truncate them, and returns vectors of the remaining tokens.
      const count = 'ids' in sent ? sent.ids.length : figures.length / width;
      const whole = pooling ? pool(figures, { width, tokens: count, method: pooling }) : figures;
      if (whole.length !== width) return refuse(`its vector has ${whole.length} values, not ${width}`);
      if (!whole.every(Number.isFinite)) return refuse(noNumbers);
      const cut = whole.subarray(0, requestedWidth);
      return normalize || cut.length < width ? unit(cut) : cut;
    },
  };
}

/** The rows of an `input` of texts or token ids, each text with the prompt as its prefix. */
export function inputRows(
  { items, isList }: EmbeddingInput,
  prompt = '',
): Pick<RowsPlan<unknown>, 'inputs' | 'field' | 'pathOf'> {
  return {
    inputs: items.map((item) => (typeof item === 'string' ? { text: prompt + item } : { ids: item })),
    field: 'input',
    pathOf: (row) => (isList ? `input[${row}]` : 'input'),
  };
}

function refuseWider(requestedWidth: number | undefined, width: number | undefined): void {
  if (requestedWidth === undefined || width === undefined || requestedWidth <= width) return;
  const message = `dimensions: must be at most ${width}, the vector length of this model.`;
  throw new ApiError('invalid_request', message, { param: 'dimensions' });
}
