/** Text like that of agents: words and code, the same in every run. */
const WORDS =
  'the quick brown fox jumps over a lazy dog while const result = await call(value); } else { return [0, 1]; // naïve'.split(
    ' ',
  );

/**
 * A source of words: each call continues where the last one ended.
 * @param {number} seed
 * @returns {(count: number) => string}
 */
export function wordSource(seed) {
  let state = seed;
  return (count) => {
    let text = '';
    for (let at = 0; at < count; at++) {
      state = (state * 48_271) % 2_147_483_647;
      text += `${WORDS[state % WORDS.length]}${state % 17 === 0 ? `\n${state % 1000} ` : ' '}`;
    }
    return text;
  };
}

/**
 * A text of this length.
 * @param {number} seed
 * @param {number} characters
 */
export function sampleText(seed, characters) {
  const words = wordSource(seed);
  let text = '';
  while (text.length < characters) text += words(100);
  return text.slice(0, characters);
}
