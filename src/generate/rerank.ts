import type { RerankContract, RowFigures } from '../contracts/vectors.ts';
import { ApiError } from '../errors.ts';
import type { NamedModel } from '../models/served-model.ts';
import { during } from '../request-watch.ts';
import type { RerankRequest } from '../requests/rerank-request.ts';
import { answerId } from './answer-options.ts';
import { noNumbers, type RowsContext, sumOf } from './embedding.ts';
import { inferRows } from './infer-rows.ts';
import { pairRows } from './rerank-inputs.ts';

/** What the answer of a rerank is written from. */
export interface RerankAnswer {
  readonly id: string;
  readonly model: string;
  /** The best first. */
  readonly results: readonly { readonly index: number; readonly score: number }[];
  /** The texts of all documents, where they are wanted back. */
  readonly documents: readonly string[] | undefined;
  /** Undefined where nobody counted. */
  readonly tokens: number | undefined;
}

/** Scores each document against the query. */
export async function rerank(
  request: RerankRequest,
  { findModel, timeout, watch }: RowsContext,
  signal: AbortSignal,
): Promise<RerankAnswer> {
  const model = findModel(request.model);
  const contract = rerankOf(model);
  const documents = request.documents.map((document) => (typeof document === 'string' ? document : document.text));
  const { query, max_tokens_per_doc: most } = request;
  const { padTokenId: padId } = await model.assets();
  const place = { model, contract, mostPerDocument: most ?? undefined, signal };
  const { rows, tokens } = await during(watch, 'tokenize', () => pairRows(query, documents, place));
  watch.counts({ promptTokens: sumOf(tokens), completionTokens: 0 });
  const id = answerId('rerank');
  const scores = await inferRows(rows, {
    model,
    contract,
    requestId: id,
    padId,
    field: 'documents',
    placeOf: (row) => `documents[${row}]`,
    signal,
    watch,
    timeout,
    finish: (figures, _, refuse) => {
      const wanted = contract.width ?? 1;
      if (figures.width !== wanted) return refuse(`the model gave ${figures.width} figures, not ${wanted}`);
      if (!figures.figures.every(Number.isFinite)) return refuse(noNumbers);
      return scoreOf(figures, contract);
    },
  });
  const ranked = scores
    .map((score, index) => ({ index, score }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
  return {
    id,
    model: request.model,
    results: ranked.slice(0, request.top_n ?? ranked.length),
    documents: request.return_documents ? documents : undefined,
    tokens: sumOf(tokens),
  };
}

function rerankOf({ name, rerank: contract, embedding, contract: generation }: NamedModel): RerankContract {
  if (contract) return contract;
  const instead =
    embedding && !generation
      ? 'it makes embeddings: POST /v1/embeddings.'
      : 'it generates text: POST /v1/chat/completions.';
  throw new ApiError('invalid_request', `model: ${name} scores no documents; ${instead}`, { param: 'model' });
}

/** How relevant a document is, from 0 to 1. */
function scoreOf({ figures }: RowFigures, { activation, label }: RerankContract): number {
  const figure = figures[label] as number;
  switch (activation) {
    case 'none':
      return figure;
    case 'sigmoid':
      return 1 / (1 + Math.exp(-figure));
    case 'softmax':
      return 1 / figures.reduce((sum, other) => sum + Math.exp(other - figure), 0);
  }
}
