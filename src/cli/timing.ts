import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventFold, OtherEvent } from '../contracts/events.ts';

/** Prints one response and measures it: tokens, and how long they took. */
export class Timing implements EventFold {
  readonly #show: (text: string) => void;
  readonly #begin = performance.now();
  #first: number | undefined;
  #tokens = 0;
  #deltas = 0;
  #promptTokens: number | undefined;
  #reason: string | undefined;
  #choice = 0;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  /** Prints the text; several choices are printed below each other. */
  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#first ??= performance.now();
    this.#tokens += tokens;
    this.#deltas++;
    if (choice !== this.#choice) this.#show('\n');
    this.#choice = choice;
    this.#show(logprobs ? logprobs.map(logprobText).join('') : text);
  }

  event(event: OtherEvent): void {
    switch (event.type) {
      case 'finish':
        this.#reason = event.reason;
        break;
      case 'usage':
        this.#promptTokens = event.promptTokens;
        this.#tokens = event.completionTokens;
        break;
      case 'reasoning-delta':
      case 'tool-call-delta':
      case 'prompt-tokens':
      case 'prompt-ids':
      case 'prompt-logprobs':
      case 'token-ids':
        break;
    }
  }

  /** One line, such as `12 tokens, first after 34 ms, 150.0 tokens/s, ended by stop`. */
  summary(end = this.#reason === undefined ? undefined : `ended by ${this.#reason}`): string {
    const first = this.#first ?? performance.now();
    const seconds = (performance.now() - first) / 1000;
    // A response in one piece has no rate.
    const rate =
      this.#deltas > 1 && this.#tokens > 1 && seconds > 0
        ? [`${((this.#tokens - 1) / seconds).toFixed(1)} tokens/s`]
        : [];
    return [
      ...(this.#promptTokens === undefined ? [] : [`${this.#promptTokens} tokens in`]),
      `${this.#tokens} tokens out`,
      `first after ${(first - this.#begin).toFixed(0)} ms`,
      ...rate,
      ...(end === undefined ? [] : [end]),
    ].join(', ');
  }
}

function logprobText({ text, logprob }: { readonly text: string; readonly logprob: number }): string {
  return `${JSON.stringify(text)} ${logprob.toFixed(4)}\n`;
}
