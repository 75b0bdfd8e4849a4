import type { RerankContract } from '../contracts/row-contracts.ts';
import { ApiError } from '../errors.ts';
import type { RerankRequest } from '../requests/rerank-request.ts';
import type { Signal } from '../signal.ts';
import { noNumbers, type ReadyRows, type RowsContext, type RowsPlan, readyRows, runRows } from './rows.ts';
import { scoreOf } from './scores.ts';

/** What the response of a rerank is written from. */
export interface RerankResult {
  readonly id: string;
  readonly model: string;
  /** The best first. */
  readonly results: readonly { readonly index: number; readonly score: number }[];
  /** The texts of all documents, if the request wants them back. */
  readonly documents: readonly string[] | undefined;
  /** Undefined if it was not counted. */
  readonly tokens: number | undefined;
}

/** Scores each document against the query. */
export async function rerank(request: RerankRequest, context: RowsContext, signal: Signal): Promise<RerankResult> {
  const plan = planRerank(request, await readyRows(request.model, 'rerank', context));
  const { id, results: scores, promptTokens: tokens } = await runRows(plan, context, signal);
  const ranked = scores
    .map((score, index) => ({ index, score }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
  return {
    id,
    model: request.model,
    results: ranked.slice(0, request.top_n ?? ranked.length),
    documents: request.return_documents ? request.documents.map(textOf) : undefined,
    tokens,
  };
}

/** Decides how documents are scored against a query. */
export function planRerank(request: RerankRequest, ready: ReadyRows<RerankContract>): RowsPlan<number> {
  const { query, documents, max_tokens_per_doc: most } = request;
  const { model, contract, assets } = ready;
  const mostOfSecond = most ?? undefined;
  if (mostOfSecond !== undefined && !assets.tokenizer && contract.takes !== 'ids')
    throw new ApiError(
      'unsupported_parameter',
      `max_tokens_per_doc: needs a tokenizer for this model; start Conch with --tokenizer ${model.name}=DIR.`,
      { param: 'max_tokens_per_doc' },
    );
  const pairs = {
    idPrefix: 'rerank',
    inputs: documents.map((document) => ({ pair: [query, textOf(document)] as const, mostOfSecond })),
    field: 'documents',
    pathOf: (row: number) => `documents[${row}]`,
    tooLong: {
      counted: 'tokens together with the query',
      remedy: 'Shorten it, or send max_tokens_per_doc.',
    },
  } as const;
  return planPairs(pairs, ready);
}

/** Pairs of texts, and their paths in the request. */
type Pairs = Pick<RowsPlan<unknown>, 'idPrefix' | 'inputs' | 'field' | 'pathOf' | 'tooLong'>;

/** Decides how pairs of texts are scored, by the settings of the operator and the model's configuration. */
export function planPairs(pairs: Pairs, ready: ReadyRows<RerankContract>): RowsPlan<number> {
  const { contract } = ready;
  return {
    ...ready,
    ...pairs,
    width: contract.width ?? 1,
    finish: ({ figures, width, expected }, refuse) => {
      if (width !== expected) return refuse(`the model returned ${width} values, not ${expected}`);
      if (!figures.every(Number.isFinite)) return refuse(noNumbers);
      return scoreOf(figures, contract);
    },
  };
}

function textOf(document: RerankRequest['documents'][number]): string {
  return typeof document === 'string' ? document : document.text;
}
