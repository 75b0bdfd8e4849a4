import { inTurns, type OnShare } from './in-turns.ts';
import { drawLength, type Lengths } from './lengths.ts';
import { Random } from './random.ts';
import type { TokenCounter } from './token-counter.ts';
import { words } from './words.ts';

/** One request of the load: its prompt and the length of its response. */
export interface Prompt {
  readonly text: string;
  /** The counted tokens; undefined without a counter. */
  readonly tokens: number | undefined;
  readonly outputTokens: number;
}

interface PromptOptions {
  readonly count: number;
  readonly input: Lengths;
  readonly output: Lengths;
  readonly seed: number;
  /** Without a counter, a word counts as a token. */
  readonly counter: TokenCounter | undefined;
  readonly onShare?: OnShare | undefined;
}

const mostTries = 12;
const mostFillers = 4;

/** Generates prompts of the requested lengths: the same ones for the same seed and tokenizer. */
export async function makePrompts({ count, input, output, seed, counter, onShare }: PromptOptions): Promise<Prompt[]> {
  const random = new Random(seed);
  const drawn = Array.from({ length: count }, () => ({
    inputTokens: drawLength(input, random),
    outputTokens: drawLength(output, random),
    seed: Math.floor(random.next() * 2 ** 32),
  }));
  const make = async ({ inputTokens, outputTokens, seed: own }: (typeof drawn)[number]): Promise<Prompt> => ({
    ...(counter ? await fitted(inputTokens, own, counter) : { text: wordsOf(inputTokens, own), tokens: undefined }),
    outputTokens,
  });
  return inTurns(drawn, make, onShare);
}

/** Counts existing prompts. */
export async function countedPrompts(
  texts: readonly string[],
  { output, seed, counter, onShare }: Omit<PromptOptions, 'count' | 'input'>,
): Promise<Prompt[]> {
  const random = new Random(seed);
  const count = async (text: string): Promise<Prompt> => ({
    text,
    outputTokens: drawLength(output, random),
    tokens: await counter?.count(text),
  });
  return inTurns(texts, count, onShare);
}

/**
 * Adds and removes words until the text has the requested number of tokens, the last few with the shortest word. Uses
 * the nearest length if none fits.
 */
async function fitted(target: number, seed: number, counter: TokenCounter): Promise<{ text: string; tokens: number }> {
  let length = target;
  let fillers = 0;
  let best = { text: '', tokens: 0 };
  for (let tries = 0; tries < mostTries; tries++) {
    const text = wordsOf(length, seed) + ' a'.repeat(fillers);
    const tokens = await counter.count(text);
    const missing = target - tokens;
    if (best.text === '' || Math.abs(missing) < Math.abs(target - best.tokens)) best = { text, tokens };
    if (missing === 0) break;
    if (missing > 0 && missing <= mostFillers) fillers += missing;
    else {
      // A word may be several tokens: estimate how many words make up the difference.
      const words = Math.ceil(Math.abs(missing) * Math.min(1, length / tokens));
      length = Math.max(1, length + Math.sign(missing) * words);
      fillers = 0;
    }
  }
  return best;
}

/** Random words. A longer text of the same seed starts with the shorter one. */
function wordsOf(count: number, seed: number): string {
  const random = new Random(seed);
  return Array.from({ length: count }, () => words[random.below(words.length)]).join(' ');
}
