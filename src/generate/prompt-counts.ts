import type { Tokenizer } from '../tokenizer.ts';
import type { Round, Run } from './plan.ts';
import type { Tally } from './tally.ts';

/** Rounds of which both counts must be the same before the tokenizer here is relied on. */
const roundsToAgree = 16;

/** From then on one round of so many is compared. */
const roundsPerCheck = 64;

/** Characters. Tokenizing more costs more than a count with every response does; see docs/decisions/optional-outputs.md. */
const longestPrompt = 4096;

/** Whether a tokenizer here counts prompts as the backend of its model does, by the prompts that both have counted. */
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

/** By tokenizer: every model loads its own. */
const agreements = new WeakMap<Tokenizer, Agreement>();

function agreementOf(tokenizer: Tokenizer): Agreement {
  const found = agreements.get(tokenizer) ?? new Agreement();
  agreements.set(tokenizer, found);
  return found;
}

/**
 * Counts the prompts of a round whose counts are only recorded: here, beside its inferences, where that is exact. Says
 * whether the backend is to count them.
 */
export function asksForPromptCount(run: Run, { prompts }: Pick<Round, 'prompts'>, tally: Tally): boolean {
  const { images, signal } = run;
  const { model } = run.plan;
  const tokenizer = model.loadedAssets()?.tokenizer;
  // An image is as many tokens as the engine makes of it, and an adapter may bring tokens of its own.
  if (!tokenizer || images.length > 0 || model.loraName !== undefined) return true;
  const agreement = agreementOf(tokenizer);
  if (agreement.isRefuted || prompts.reduce((sum, { text }) => sum + text.length, 0) > longestPrompt) return true;
  const options = { addSpecialTokens: model.addsSpecialTokens, signal };
  const ours = Promise.all(prompts.map(({ text }) => tokenizer.count(text, options))).then((counts) =>
    counts.reduce((sum, count) => sum + count, 0),
  );
  if (agreement.compares()) {
    tally.onPromptTokens = (theirs) => void ours.then((count) => agreement.compare(count, theirs)).catch(uncounted);
    // Of a round that fails there is nothing to compare.
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
