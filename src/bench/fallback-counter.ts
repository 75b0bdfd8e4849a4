import type { Pace } from './load/messages.ts';
import { paceText } from './report/report.ts';
import { CountError, type TokenCounter } from './token-counter.ts';

/** Counts tokens: with a counter until it fails, then by the usage that the server reports. */
export class FallbackCounter {
  readonly #takesUsage: boolean;
  #counter: TokenCounter | undefined;
  /** What was not counted as planned, in whole sentences. */
  readonly notes: string[] = [];

  constructor(counter: TokenCounter | undefined, takesUsage: boolean) {
    this.#counter = counter;
    this.#takesUsage = takesUsage;
  }

  /** The counter of responses; undefined if the reported usage is used. */
  get responseCounter(): TokenCounter | undefined {
    return this.#takesUsage ? undefined : this.#counter;
  }

  async prompts<T>(count: (counter: TokenCounter | undefined) => Promise<T>): Promise<T> {
    return this.#try(this.#counter, count, (reason) => `${reason}: prompt lengths are in words instead of tokens`);
  }

  async responses<T>(pace: Pace, count: (counter: TokenCounter | undefined) => Promise<T>): Promise<T> {
    return this.#try(
      this.responseCounter,
      count,
      (reason) => `${reason}: text is not counted from ${paceText(pace)} on`,
    );
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
      this.notes.push(`${note(error.message)}. Token counts are the usage that the server reports.`);
      return count(undefined);
    }
  }
}
