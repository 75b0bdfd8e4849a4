import { ApiError } from '../errors.ts';
import type { EncodeOptions, Tokenizer } from '../tokenizer.ts';
import { Turns } from './turns.ts';

/** Texts up to this many characters are tokenized at once; larger ones wait for each other. */
const small = 65_536;

/** A large text takes hundreds of times its bytes while it is tokenized, so few are at a time, whatever their models. */
const largeTexts = new Turns(2);

/** The same tokenizer for texts of requests: too long ones are refused, and large ones take turns. */
export function boundedTokenizer(tokenizer: Tokenizer, mostBytes: () => number): Tokenizer {
  const within = <Result>(text: string, { signal }: EncodeOptions, work: () => Promise<Result>): Promise<Result> => {
    if (text.length <= small) return work();
    const [bytes, most] = [Buffer.byteLength(text), mostBytes()];
    return bytes > most ? Promise.reject(tooLong(bytes, most)) : largeTexts.take(work, signal);
  };
  const encodePair = tokenizer.encodePair?.bind(tokenizer);
  return {
    ...tokenizer,
    encode: (text, options) => within(text, options, () => tokenizer.encode(text, options)),
    count: (text, options) => within(text, options, () => tokenizer.count(text, options)),
    ...(encodePair && {
      encodePair: (first, second, options) => within(first + second, options, () => encodePair(first, second, options)),
    }),
  };
}

function tooLong(bytes: number, most: number): ApiError {
  return new ApiError(
    'context_length_exceeded',
    `A text of ${bytes} bytes is more than is turned into tokens here: at most ${most} (--max-prompt-size).`,
  );
}
