import { inTurns, type OnShare } from './in-turns.ts';
import { drawLength, type Lengths } from './lengths.ts';
import { Random } from './random.ts';
import type { TokenCounter } from './token-counter.ts';
import { words } from './words.ts';

/** One request of the load: what is asked, and how long the answer is to be. */
export interface Prompt {
  readonly text: string;
  /** As counted; undefined where nobody can before the server has. */
  readonly tokens: number | undefined;
  readonly outputTokens: number;
}

interface PromptOptions {
  readonly count: number;
  readonly input: Lengths;
  readonly output: Lengths;
  readonly seed: number;
  /** Without one a word is taken for a token. */
  readonly counter: TokenCounter | undefined;
  readonly onShare?: OnShare | undefined;
}

const mostTries = 12;
const mostFillers = 4;

/** Prompts of the wanted lengths: the same ones for the same seed and tokenizer. */
export async function makePrompts({ count, input, output, seed, counter, onShare }: PromptOptions): Promise<Prompt[]> {
  const random = new Random(seed);
  const drawn = Array.from({ length: count }, () => ({
    wanted: drawLength(input, random),
    outputTokens: drawLength(output, random),
    seed: Math.floor(random.next() * 2 ** 32),
  }));
  const make = async ({ wanted, outputTokens, seed: own }: (typeof drawn)[number]): Promise<Prompt> => ({
    ...(counter ? await fitted(wanted, own, counter) : { text: wordsOf(wanted, own), tokens: undefined }),
    outputTokens,
  });
  return inTurns(drawn, make, onShare);
}

/** Prompts of others, each counted. */
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
 * Words are added and taken away until the tokens are as many as wanted, the last few by the shortest word there is;
 * where none fits the nearest text is taken.
 */
async function fitted(wanted: number, seed: number, counter: TokenCounter): Promise<{ text: string; tokens: number }> {
  let length = wanted;
  let fillers = 0;
  let best = { text: '', tokens: 0 };
  for (let tries = 0; tries < mostTries; tries++) {
    const text = wordsOf(length, seed) + ' a'.repeat(fillers);
    const tokens = await counter.count(text);
    const missing = wanted - tokens;
    if (best.text === '' || Math.abs(missing) < Math.abs(wanted - best.tokens)) best = { text, tokens };
    if (missing === 0) break;
    if (missing > 0 && missing <= mostFillers) fillers += missing;
    else {
      // A word may be several tokens: so many words less or more as make up for the difference.
      const words = Math.ceil(Math.abs(missing) * Math.min(1, length / tokens));
      length = Math.max(1, length + Math.sign(missing) * words);
      fillers = 0;
    }
  }
  return best;
}

/** A longer text of the same seed begins with the shorter one. */
function wordsOf(count: number, seed: number): string {
  const random = new Random(seed);
  return Array.from({ length: count }, () => words[random.below(words.length)]).join(' ');
}
