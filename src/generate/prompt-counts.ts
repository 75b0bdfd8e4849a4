import type { Tokenizer } from '../tokenizer.ts';
import type { Round, Run } from './plan.ts';
import type { Tally } from './tally.ts';

/** Rounds with equal counts before Conch relies on its tokenizer. */
const roundsToAgree = 16;

/** From then on, one round in this many is compared. */
const roundsPerCheck = 64;

/** Characters. Tokenizing more costs more than a count with every response: docs/decisions/optional-outputs.md. */
const longestPrompt = 4096;

/** Whether Conch's tokenizer counts prompts as the backend does, by the prompts that both have counted. */
class Agreement {
  #agreed = 0;
  #rounds = 0;
  #isRefuted = false;

  get isRefuted(): boolean {
    return this.#isRefuted;
  }

  /** Whether the prompts of the next round are counted by both. */
  compares(): boolean {
    return this.#agreed < roundsToAgree || ++this.#rounds % roundsPerCheck === 0;
  }

  compare(ours: number, theirs: number): void {
    if (ours === theirs) this.#agreed++;
    else this.#isRefuted = true;
  }
}

/** By tokenizer, because every model loads its own. */
const agreements = new WeakMap<Tokenizer, Agreement>();

function agreementOf(tokenizer: Tokenizer): Agreement {
  const found = agreements.get(tokenizer) ?? new Agreement();
  agreements.set(tokenizer, found);
  return found;
}

/**
 * Counts the prompts of a round whose counts are only recorded: in Conch, during its inferences, if that is exact.
 * Returns whether the backend must count them.
 */
export function asksForPromptCount(run: Run, { prompts }: Pick<Round, 'prompts'>, tally: Tally): boolean {
  const { images, signal } = run;
  const { model } = run.plan;
  const tokenizer = model.loadedAssets()?.tokenizer;
  // Only the engine knows how many tokens an image has, and an adapter may have its own tokens.
  if (!tokenizer || images.length > 0 || model.loraName !== undefined) return true;
  const agreement = agreementOf(tokenizer);
  if (agreement.isRefuted || prompts.reduce((sum, { text }) => sum + text.length, 0) > longestPrompt) return true;
  const options = { addSpecialTokens: model.addsSpecialTokens, signal };
  const ours = Promise.all(prompts.map(({ text }) => tokenizer.count(text, options))).then((counts) =>
    counts.reduce((sum, count) => sum + count, 0),
  );
  if (agreement.compares()) {
    tally.onPromptTokens = (theirs) => void ours.then((count) => agreement.compare(count, theirs)).catch(uncounted);
    // A round that fails has nothing to compare.
    ours.catch(uncounted);
    return true;
  }
  tally.countingPrompt = ours
    .then((count) => {
      tally.promptTokens = count;
    }, uncounted)
    .then(() => {
      tally.countingPrompt = undefined;
    });
  return false;
}

/** The client has disconnected, or the tokenizer's thread has ended: the record has no count. */
const uncounted = (): void => undefined;
