import type { Tokenizer } from '../../tokenizer.ts';
import type { ModelBinding } from './engine-types.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Tokenizes with the very tables that the model is fed through. */
export function engineTokenizer(source: string, vocabulary: Vocabulary, model: ModelBinding): Tokenizer {
  const { bos } = vocabulary;
  return {
    source,
    ownBos: bos === undefined ? undefined : vocabulary.text(bos),
    vocabularySize: vocabulary.size,
    encode: async (text, options) => Int32Array.from(await vocabulary.encode(text, options)),
    count: async (text, options) => (await vocabulary.encode(text, options)).length,
    decode: (ids, { skipSpecialTokens }) =>
      Promise.resolve(model.detokenize(Uint32Array.from(ids), !skipSpecialTokens)),
    unknownIds: (ids) =>
      Promise.resolve(Array.from(ids).filter((id) => !Number.isInteger(id) || id < 0 || id >= vocabulary.size)),
  };
}
