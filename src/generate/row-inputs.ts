import type { InputRow, RowsContract } from '../contracts/row-contracts.ts';
import { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** The input of one row: a text, its tokens, or two texts, the second of which may be truncated. */
export type RowInput =
  | { readonly text: string }
  | { readonly ids: readonly number[] }
  | { readonly pair: readonly [string, string]; readonly mostOfSecond: number | undefined };

/** The error text for a row with too many tokens: what was counted, and what to do. */
export interface TooLongWords {
  readonly counted: string;
  readonly remedy: string;
}

/** The model of the inputs, and how errors name them. */
export interface InputContext {
  /** The name of the model, for errors. */
  readonly name: string;
  readonly contract: Pick<RowsContract, 'takes' | 'counts'>;
  readonly tokenizer: Tokenizer | undefined;
  /** The token limit of a row, if known. */
  readonly longest: number | undefined;
  /** The request field of the rows, and the path of each row in it. */
  readonly field: string;
  readonly pathOf: (row: number) => string;
  readonly tooLong?: TooLongWords;
}

/** Rows as the model takes them, and how many tokens each has, if known before the inference. */
export interface CountedRows {
  readonly rows: readonly InputRow[];
  readonly tokens: readonly (number | undefined)[];
}

type CountedRow = readonly [InputRow, number | undefined];

/** Turns inputs into what the model takes. Refuses what is too long or not in its vocabulary. */
export async function tokenizeRows(
  inputs: readonly RowInput[],
  context: InputContext,
  signal: Signal,
): Promise<CountedRows> {
  const { longest, field, pathOf, tooLong: { counted: what, remedy } = usualWords } = context;
  const counted = await Promise.all(
    inputs.map(async (input, at): Promise<CountedRow> => {
      const row = await rowOf(input, { ...context, path: pathOf(at), signal });
      if (row[1] === undefined || longest === undefined || row[1] <= longest) return row;
      throw new ApiError(
        'context_length_exceeded',
        `${pathOf(at)}: has ${row[1]} ${what}; this model takes ${longest}. ${remedy}`,
        { param: field },
      );
    }),
  );
  return { rows: counted.map(([row]) => row), tokens: counted.map(([, tokens]) => tokens) };
}

const usualWords: TooLongWords = { counted: 'tokens', remedy: 'Shorten it.' };

interface RowContext extends InputContext {
  readonly path: string;
  readonly signal: Signal;
}

function rowOf(input: RowInput, context: RowContext): Promise<CountedRow> {
  if ('text' in input) return textRow(input.text, context);
  if ('ids' in input) return idsRow(input.ids, context);
  return context.contract.takes === 'ids' ? tokenPair(input, context) : textPair(input, context);
}

async function textRow(text: string, { contract, tokenizer, signal }: RowContext): Promise<CountedRow> {
  const options = { addSpecialTokens: true, signal };
  if (contract.takes === 'ids') {
    const ids = await needed(tokenizer).encode(text, options);
    return [{ ids }, ids.length];
  }
  const count = contract.counts ? undefined : await tokenizer?.count(text, options);
  return [{ texts: [text] }, count];
}

async function idsRow(
  ids: readonly number[],
  { contract, tokenizer, name, field, path }: RowContext,
): Promise<CountedRow> {
  const refused = (message: string) => new ApiError('invalid_request', `${path}: ${message}`, { param: field });
  if (!tokenizer && contract.takes === 'text')
    throw refused(`token ids need a tokenizer for this model; start Conch with --tokenizer ${name}=DIR, or send text.`);
  const [unknown] = (await tokenizer?.unknownIds(ids)) ?? [];
  if (unknown !== undefined)
    throw refused(`the token id ${unknown} is not in this model's vocabulary of ${tokenizer?.vocabularySize} tokens.`);
  if (contract.takes !== 'text') return [{ ids: Int32Array.from(ids) }, ids.length];
  const text = await textOf(ids, needed(tokenizer));
  if (text === undefined)
    throw refused(
      'these token ids have no text that is tokenized to the same ids, and this model takes text; send text.',
    );
  return [{ texts: [text] }, ids.length];
}

/** The text that the model tokenizes to these ids, with or without the special tokens around every text. */
async function textOf(ids: readonly number[], tokenizer: Tokenizer): Promise<string | undefined> {
  const text = await tokenizer.decode(ids, { skipSpecialTokens: true });
  for (const addSpecialTokens of [true, false]) {
    const again = await tokenizer.encode(text, { addSpecialTokens });
    if (again.length === ids.length && again.every((id, at) => id === ids[at])) return text;
  }
  return undefined;
}

type PairInput = Extract<RowInput, { pair: unknown }>;

async function tokenPair({ pair, mostOfSecond }: PairInput, { tokenizer, signal }: RowContext): Promise<CountedRow> {
  const encoded = await tokenizer?.encodePair?.(...pair, { mostOfSecond, signal });
  if (!encoded) throw tokenizerMissing();
  return [encoded, encoded.ids.length];
}

async function textPair({ pair, mostOfSecond }: PairInput, { tokenizer, signal }: RowContext): Promise<CountedRow> {
  if (!tokenizer) return [{ texts: pair }, undefined];
  const [first, second] = pair;
  const ids = await tokenizer.encode(second, { addSpecialTokens: false, signal });
  const isCut = mostOfSecond !== undefined && ids.length > mostOfSecond;
  const text = isCut ? await tokenizer.decode(ids.subarray(0, mostOfSecond), { skipSpecialTokens: true }) : second;
  const encoded = await tokenizer.encodePair?.(first, text, { signal });
  return [{ texts: [first, text] }, encoded?.ids.length];
}

function needed(tokenizer: Tokenizer | undefined): Tokenizer {
  if (tokenizer) return tokenizer;
  throw tokenizerMissing();
}

function tokenizerMissing(): ApiError {
  return new ApiError(
    'model_not_ready',
    'This model takes token ids and has no usable tokenizer. Set one with --tokenizer.',
  );
}
