/** Learns the merges of a byte-level BPE from a text, as the tokenizers of real models were learnt. */

/** How such tokenizers part a text into words. */
const WORDS = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/**
 * The pairs of symbols that stand beside each other most often, one after the other joined into one.
 * @param {string} text
 * @param {number} most
 * @param {(word: string) => string[]} symbolsOf the bytes of a word as the vocabulary writes them
 * @returns {[string, string][]}
 */
export function learnMerges(text, most, symbolsOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = Array.from(counts, ([word, count]) => ({ symbols: symbolsOf(word), count }));
  /** @type {Map<string, { pair: [string, string], count: number, words: Set<typeof words[number]> }>} */
  const pairs = new Map();
  /**
   * @param {typeof words[number]} word
   * @param {1 | -1} sign
   */
  const tally = (word, sign) => {
    for (let at = 0; at + 1 < word.symbols.length; at++) {
      const pair = /** @type {[string, string]} */ ([word.symbols[at], word.symbols[at + 1]]);
      const key = pair.join(' ');
      const entry = pairs.get(key) ?? { pair, count: 0, words: new Set() };
      pairs.set(key, entry);
      entry.count += sign * word.count;
      if (sign === 1) entry.words.add(word);
    }
  };
  for (const word of words) tally(word, 1);
  /** @type {[string, string][]} */
  const merges = [];
  while (merges.length < most) {
    let best;
    for (const entry of pairs.values()) if (best === undefined || entry.count > best.count) best = entry;
    if (best === undefined || best.count < 2) break;
    merges.push(best.pair);
    pairs.delete(best.pair.join(' '));
    for (const word of best.words) {
      tally(word, -1);
      word.symbols = joined(word.symbols, best.pair);
      tally(word, 1);
    }
    pairs.delete(best.pair.join(' '));
  }
  return merges;
}

/**
 * @param {string[]} symbols
 * @param {[string, string]} pair
 */
function joined(symbols, [left, right]) {
  const result = [];
  for (let at = 0; at < symbols.length; at++) {
    const symbol = symbols[at] ?? '';
    if (symbol === left && symbols[at + 1] === right) {
      result.push(left + right);
      at++;
    } else result.push(symbol);
  }
  return result;
}
