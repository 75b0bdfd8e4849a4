import type { GenerateEvent } from '../contracts/events.ts';

/** Watches one answer: what is shown of it, how many tokens there were, and how long they took. */
export class Timing {
  readonly #begin = performance.now();
  #first: number | undefined;
  #tokens = 0;
  #deltas = 0;
  #promptTokens: number | undefined;
  #reason: string | undefined;
  #choice = 0;

  /** Shows the text of an event; the answers of several choices stand below each other. */
  add(event: GenerateEvent, show: (text: string) => void): void {
    switch (event.type) {
      case 'text-delta':
        this.#first ??= performance.now();
        this.#tokens += event.tokens;
        this.#deltas++;
        if (event.choice !== this.#choice) show('\n');
        this.#choice = event.choice;
        show(event.logprobs ? event.logprobs.map(logprobText).join('') : event.text);
        break;
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
        break;
    }
  }

  /** One line, such as `12 tokens, first after 34 ms, 150.0 tokens/s, ended by stop`. */
  summary(end = this.#reason === undefined ? undefined : `ended by ${this.#reason}`): string {
    const first = this.#first ?? performance.now();
    const seconds = (performance.now() - first) / 1000;
    // An answer that came whole has no rate.
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
