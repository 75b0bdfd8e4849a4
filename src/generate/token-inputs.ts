import type { Sampling, TokenInputs } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { Detokenizer } from '../output/detokenizer.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer, TokenTable } from '../tokenizer.ts';
import { type Tokenization, truncated } from './tokenization.ts';

/** A prompt as the request sent it: a text, or tokens. */
export interface Prompt {
  readonly text: string;
  readonly ids?: Int32Array;
}

/** A tokenized request, for a contract that takes tokens. */
export interface TokenizedPrompts {
  readonly table: TokenTable;
  /** One for each prompt. */
  readonly inputs: readonly TokenInputs[];
}

interface TokenizeOptions {
  readonly sampling: Sampling;
  readonly tokenization: Tokenization | undefined;
  readonly signal: Signal;
}

/** Turns the texts of a request into tokens. */
export async function tokenize(
  model: ServedModel,
  prompts: readonly Prompt[],
  { sampling, tokenization, signal }: TokenizeOptions,
): Promise<TokenizedPrompts> {
  const { tokenizer, eosTokenIds, padTokenId } = await model.assets();
  const table = await tokenizer?.table?.();
  if (!tokenizer || !table)
    throw new ApiError(
      'model_not_ready',
      `The model ${model.name} takes token ids and has no usable tokenizer. Start Conch with --tokenizer ${model.name}=DIR.`,
    );
  const shared = {
    eosIds: sampling.ignoreEos ? [] : eosTokenIds,
    padId: padTokenId ?? eosTokenIds[0],
    stopWords: [
      ...(await stopWords(sampling.stop ?? [], tokenizer, table)),
      ...(sampling.stopTokenIds ?? []).map((id) => [id]),
    ],
    badWords: await badWords(sampling.badWords ?? [], tokenizer),
    vocabularySize: model.contract.limits.vocabulary ?? tokenizer.vocabularySize,
  };
  const addSpecialTokens = tokenization?.addSpecialTokens ?? model.addsSpecialTokens;
  const limits = { model, maxTokens: sampling.maxTokens };
  const inputs = await Promise.all(
    prompts.map(async ({ text, ids }) => {
      const whole = ids ?? (await tokenizer.encode(text, { addSpecialTokens, signal }));
      return { ...shared, prompt: truncated(whole, tokenization?.truncation, limits) };
    }),
  );
  return { table, inputs };
}

/** The token ids with which the engine may write stop sequences. Conch finds other spellings in the text. */
async function stopWords(stops: readonly string[], tokenizer: Tokenizer, table: TokenTable): Promise<number[][]> {
  if (stops.length === 0) return [];
  const before = await tokenizer.encode(stopLead, { addSpecialTokens: false });
  const atStart = await encodeAll(stops, tokenizer);
  const within = await encodeAll(
    stops.map((stop) => stopLead + stop),
    tokenizer,
  );
  const spellings = stops.flatMap((stop, at) =>
    [atStart[at], withoutLead(within[at] ?? [], before)].filter(
      (ids): ids is number[] => ids !== undefined && ids.length > 0 && textOf(ids, table).includes(stop),
    ),
  );
  return [...new Map(spellings.map((ids) => [ids.join(), ids])).values()];
}

/** A letter before a stop sequence: SentencePiece tokenizes the start of a text differently. */
const stopLead = 'a';

function withoutLead(ids: readonly number[], lead: Int32Array): number[] | undefined {
  return lead.every((id, at) => ids[at] === id) ? ids.slice(lead.length) : undefined;
}

/** A bad word applies at the start of a text and within it, where a space belongs to its first token. */
function badWords(words: readonly string[], tokenizer: Tokenizer): Promise<number[][]> {
  return encodeAll(
    words.flatMap((word) => [word, ` ${word}`]),
    tokenizer,
  );
}

async function encodeAll(texts: readonly string[], tokenizer: Tokenizer): Promise<number[][]> {
  const encoded = await Promise.all(texts.map((text) => tokenizer.encode(text, { addSpecialTokens: false })));
  return encoded.map((ids) => Array.from(ids));
}

function textOf(ids: readonly number[], table: TokenTable): string {
  const detokenizer = new Detokenizer(table, { skipSpecialTokens: false });
  return ids.map((id) => detokenizer.push(id)).join('') + detokenizer.flush();
}
