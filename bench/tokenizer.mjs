/** A byte-level BPE tokenizer for the engine's model: a token for each byte, and one for each token of an answer. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONTEXT_LENGTH, tokenText } from './completion-text.mjs';

const BYTES = 256;
const END = '<|end|>';

/** The ids of every answer, each as its four bytes. */
export const ANSWER_IDS = Buffer.from(Int32Array.from({ length: CONTEXT_LENGTH }, (_, index) => BYTES + index).buffer);

/** Bytes that stand for themselves in such a vocabulary; the others stand as letters from U+0100 on, in their order. */
const isDisplayed = (/** @type {number} */ byte) =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);

/** @type {string[]} how each byte is spelt */
const SPELLING = [];
for (let byte = 0, next = 256; byte < BYTES; byte++)
  SPELLING.push(String.fromCharCode(isDisplayed(byte) ? byte : next++));

/**
 * The bytes of a text as the vocabulary spells them.
 * @param {string} text
 */
export const spelling = (text) => Array.from(Buffer.from(text), (byte) => SPELLING[byte] ?? '');

/**
 * Writes the files that a gateway needs to speak token ids.
 * @param {string} folder
 * @param {[string, string][]} merges of bytes, where prompts are to have tokens longer than a byte
 */
export function writeTokenizer(folder, merges = []) {
  const responseTokens = Array.from({ length: CONTEXT_LENGTH }, (_, index) => spelling(tokenText(index)).join(''));
  const known = [...new Set([...SPELLING, ...responseTokens, ...merges.map((pair) => pair.join(''))])];
  const vocabulary = Object.fromEntries(known.map((text, id) => [text, id]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
  const end = { id: known.length, content: END, special: true, normalized: false };
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ ...end, single_word: false, lstrip: false, rstrip: false }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: vocabulary,
      merges,
    },
  };
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', eos_token: END, model_max_length: CONTEXT_LENGTH };
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(path.join(folder, 'tokenizer_config.json'), JSON.stringify(config));
}
