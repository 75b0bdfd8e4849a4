import type { Pace } from './load/messages.ts';
import { paceText } from './report/report.ts';
import { CountError, type TokenCounter } from './token-counter.ts';

/** Who counts tokens: a counter for as long as it can, the server's usage from then on. */
export class Counting {
  readonly #takesUsage: boolean;
  #counter: TokenCounter | undefined;
  /** What was counted differently than it was meant to be, in whole sentences. */
  readonly notes: string[] = [];

  constructor(counter: TokenCounter | undefined, takesUsage: boolean) {
    this.#counter = counter;
    this.#takesUsage = takesUsage;
  }

  /** Who counts answers; undefined where the server's usage does. */
  get ofAnswers(): TokenCounter | undefined {
    return this.#takesUsage ? undefined : this.#counter;
  }

  async prompts<T>(count: (counter: TokenCounter | undefined) => Promise<T>): Promise<T> {
    return this.#try(this.#counter, count, (reason) => `${reason}: prompts are made of so many words, not tokens`);
  }

  async answers<T>(pace: Pace, count: (counter: TokenCounter | undefined) => Promise<T>): Promise<T> {
    return this.#try(this.ofAnswers, count, (reason) => `${reason}: from ${paceText(pace)} on no text is counted`);
  }

  async #try<T>(
    counter: TokenCounter | undefined,
    count: (counter: TokenCounter | undefined) => Promise<T>,
    note: (reason: string) => string,
  ): Promise<T> {
    try {
      return await count(counter);
    } catch (error) {
      if (!(error instanceof CountError)) throw error;
      this.#counter = undefined;
      this.notes.push(`${note(error.message)}, and the server's usage is taken.`);
      return count(undefined);
    }
  }
}
