import type { InputRow, RerankContract } from '../contracts/vectors.ts';
import { ApiError } from '../errors.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** Where pairs of query and document go. */
interface PairPlace {
  readonly model: NamedModel;
  readonly contract: RerankContract;
  /** The tokens after which a document is cut; undefined: it must fit whole. */
  readonly mostPerDocument: number | undefined;
  readonly signal: AbortSignal;
}

interface PairRows {
  readonly rows: readonly InputRow[];
  readonly tokens: readonly (number | undefined)[];
}

type Counted = readonly [InputRow, number | undefined];

/** The pairs of a query with each document, as the model takes them. A pair that is too long is refused by name. */
export async function pairRows(query: string, documents: readonly string[], place: PairPlace): Promise<PairRows> {
  const { model, contract, mostPerDocument, signal } = place;
  const { tokenizer } = await model.assets();
  const longest = model.contextLength();
  const counted = await Promise.all(
    documents.map(async (document, at): Promise<Counted> => {
      const pair =
        contract.takes === 'ids'
          ? await tokenPair(tokenizer, { query, document, mostPerDocument, signal })
          : await textPair(tokenizer, { query, document, mostPerDocument, model, signal });
      if (pair[1] !== undefined && longest !== undefined && pair[1] > longest)
        throw new ApiError(
          'context_length_exceeded',
          `documents[${at}]: has ${pair[1]} tokens together with the query; this model takes ${longest}. Shorten it, or send max_tokens_per_doc.`,
          { param: 'documents' },
        );
      return pair;
    }),
  );
  return { rows: counted.map(([row]) => row), tokens: counted.map(([, tokens]) => tokens) };
}

interface Pair extends Pick<PairPlace, 'mostPerDocument' | 'signal'> {
  readonly query: string;
  readonly document: string;
}

async function tokenPair(
  tokenizer: Tokenizer | undefined,
  { query, document, mostPerDocument, signal }: Pair,
): Promise<Counted> {
  const pair = await tokenizer?.encodePair?.(query, document, { mostOfSecond: mostPerDocument, signal });
  if (!pair) throw new ApiError('model_not_ready', 'This model takes tokens, and its tokenizer is not at hand.');
  return [pair, pair.ids.length];
}

async function textPair(
  tokenizer: Tokenizer | undefined,
  { query, document, mostPerDocument, model, signal }: Pair & Pick<PairPlace, 'model'>,
): Promise<Counted> {
  if (!tokenizer && mostPerDocument !== undefined)
    throw new ApiError(
      'unsupported_parameter',
      `max_tokens_per_doc: needs a tokenizer for this model; start Conch with --tokenizer ${model.name}=DIR.`,
      { param: 'max_tokens_per_doc' },
    );
  if (!tokenizer) return [{ texts: [query, document] }, undefined];
  const ids = await tokenizer.encode(document, { addSpecialTokens: false, signal });
  const isCut = mostPerDocument !== undefined && ids.length > mostPerDocument;
  const kept = isCut ? ids.subarray(0, mostPerDocument) : ids;
  const text = isCut ? await tokenizer.decode(kept, { skipSpecialTokens: true }) : document;
  const pair = await tokenizer.encodePair?.(query, text, { signal });
  return [{ texts: [query, text] }, pair?.ids.length];
}
