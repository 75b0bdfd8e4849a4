/** The text of every answer of the token server, made up and known beforehand, so that it can be checked. */

/** Tokens that an answer can have, and that the tokenizer of the benchmark knows. */
export const CONTEXT_LENGTH = 32_768;
export const TOKEN_BYTES = 4;

/** A newline now and then, as in real text, so that escaping is not skipped. */
const TEXT = Array.from(
  { length: CONTEXT_LENGTH },
  (_, index) => (index % 16 === 15 ? '\n' : ' ') + index.toString(36).padStart(3, '0'),
).join('');

export const TEXT_BYTES = Buffer.from(TEXT);

/**
 * The token at this place of any answer.
 * @param {number} index
 */
export const tokenText = (index) => textAt(index * TOKEN_BYTES, TOKEN_BYTES);

/**
 * A piece of any answer.
 * @param {number} from
 * @param {number} length in characters
 */
export const textAt = (from, length) => TEXT.slice(from, from + length);
