import type { InputRow, RowsContract } from '../contracts/vectors.ts';
import { ApiError } from '../errors.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** Where inputs go, and how they are named. */
interface InputPlace {
  readonly model: NamedModel;
  readonly contract: RowsContract;
  /** What stands before every text. */
  readonly prompt: string;
  readonly placeOf: (row: number) => string;
  readonly signal: AbortSignal;
}

/** Inputs as the model takes them, and how many tokens each has, where that is known before. */
interface EmbeddingRows {
  readonly rows: readonly InputRow[];
  readonly tokens: readonly (number | undefined)[];
}

type Counted = readonly [InputRow, number | undefined];

/** Turns texts and token ids into what the model takes. What is too long, or not in its vocabulary, is refused by name. */
export async function embeddingRows(
  items: readonly (string | readonly number[])[],
  { model, contract, prompt, placeOf, signal }: InputPlace,
): Promise<EmbeddingRows> {
  const { tokenizer } = await model.assets();
  const longest = model.contextLength();
  const counted = await Promise.all(
    items.map(async (item, at): Promise<Counted> => {
      const row =
        typeof item === 'string'
          ? await textRow(prompt + item, { contract, tokenizer, signal })
          : await idsRow(item, { contract, tokenizer, model, place: placeOf(at) });
      if (row[1] !== undefined && longest !== undefined && row[1] > longest)
        throw new ApiError(
          'context_length_exceeded',
          `${placeOf(at)}: has ${row[1]} tokens; this model takes ${longest}. Shorten it.`,
          { param: 'input' },
        );
      return row;
    }),
  );
  return { rows: counted.map(([row]) => row), tokens: counted.map(([, tokens]) => tokens) };
}

async function textRow(
  text: string,
  { contract, tokenizer, signal }: Pick<InputPlace, 'contract' | 'signal'> & { tokenizer: Tokenizer | undefined },
): Promise<Counted> {
  const options = { addSpecialTokens: true, signal };
  if (contract.takes === 'ids') {
    const ids = await needed(tokenizer).encode(text, options);
    return [{ ids }, ids.length];
  }
  const count = contract.counts ? undefined : await tokenizer?.count(text, options);
  return [{ texts: [text] }, count];
}

interface IdsPlace extends Pick<InputPlace, 'model' | 'contract'> {
  readonly tokenizer: Tokenizer | undefined;
  readonly place: string;
}

async function idsRow(ids: readonly number[], { contract, tokenizer, model, place }: IdsPlace): Promise<Counted> {
  if (!tokenizer && contract.takes === 'text')
    throw refused(
      `${place}: token ids need a tokenizer for this model; start Conch with --tokenizer ${model.name}=DIR, or send text.`,
    );
  const [unknown] = (await tokenizer?.unknownIds(ids)) ?? [];
  if (unknown !== undefined)
    throw refused(
      `${place}: the token id ${unknown} is not in this model's vocabulary of ${tokenizer?.vocabularySize} tokens.`,
    );
  if (contract.takes !== 'text') return [{ ids: Int32Array.from(ids) }, ids.length];
  return [{ texts: [await textOf(ids, needed(tokenizer), place)] }, ids.length];
}

/** The text that the model makes these tokens of, with those that it puts around every text or without. */
async function textOf(ids: readonly number[], tokenizer: Tokenizer, place: string): Promise<string> {
  const text = await tokenizer.decode(ids, { skipSpecialTokens: true });
  for (const addSpecialTokens of [true, false]) {
    const again = await tokenizer.encode(text, { addSpecialTokens });
    if (again.length === ids.length && again.every((id, at) => id === ids[at])) return text;
  }
  throw refused(
    `${place}: these token ids have no text that is tokenized to the same ids, and this model takes text; send text.`,
  );
}

function needed(tokenizer: Tokenizer | undefined): Tokenizer {
  if (tokenizer) return tokenizer;
  throw new ApiError('model_not_ready', 'This model takes tokens, and its tokenizer is not at hand.');
}

function refused(message: string): ApiError {
  return new ApiError('invalid_request', message, { param: 'input' });
}
