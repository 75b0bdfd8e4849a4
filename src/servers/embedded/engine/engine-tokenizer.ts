import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tokenizer } from '../../../tokenizer.ts';
import type { ModelBinding } from './engine-types.ts';
import { Detokenizer, type Vocabulary } from './vocabulary.ts';

/** Tokenizes with the tables of the model itself. */
export function engineTokenizer(source: string, vocabulary: Vocabulary, model: ModelBinding): Tokenizer {
  const { bos } = vocabulary;
  return {
    source,
    ownBos: bos === undefined ? undefined : vocabulary.text(bos),
    vocabularySize: vocabulary.size,
    encode: async (text, options) => Int32Array.from(await vocabulary.encode(text, options)),
    count: async (text, options) => (await vocabulary.encode(text, options)).length,
    decode: (ids, options) => decode(ids, { ...options, vocabulary, model }),
    unknownIds: (ids) =>
      Promise.resolve(Array.from(ids).filter((id) => !Number.isInteger(id) || id < 0 || id >= vocabulary.size)),
    spellings: (ids) =>
      Promise.resolve(Array.from(ids, (id) => (id >= 0 && id < vocabulary.size ? vocabulary.spelling(id) : ''))),
  };
}

/** How many ids are decoded at once, which blocks the event loop for some milliseconds. */
const pieceLength = 4096;

interface DecodeOptions {
  readonly skipSpecialTokens: boolean;
  readonly vocabulary: Vocabulary;
  readonly model: ModelBinding;
}

/** The text of ids. A long one is decoded in pieces, with a pause between them. */
async function decode(
  ids: ArrayLike<number>,
  { skipSpecialTokens, vocabulary, model }: DecodeOptions,
): Promise<string> {
  const all = Uint32Array.from(ids);
  const whole = (part: Uint32Array): string => model.detokenize(part, !skipSpecialTokens);
  if (all.length <= pieceLength) return whole(all);
  const detokenizer = new Detokenizer(vocabulary, { skipSpecialTokens });
  const pieces: string[] = [];
  for (let at = 0; at < all.length; at += pieceLength) {
    if (at > 0) await nextTurn();
    let piece = '';
    for (const id of all.subarray(at, at + pieceLength)) piece += detokenizer.push(id);
    pieces.push(piece);
  }
  const text = pieces.join('') + detokenizer.flush();
  // The space that SentencePiece puts before a text is not a part of it.
  const leads = text.startsWith(' ') && !whole(all.subarray(0, headLength)).startsWith(' ');
  return leads ? text.slice(1) : text;
}

/** How many ids show whether the engine adds a leading space. */
const headLength = 64;
