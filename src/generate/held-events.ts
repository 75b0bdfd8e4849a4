import type { TokenLogprob } from '../contracts/contract.ts';
import { type EventFold, type GenerateEvent, giveEvent, type OtherEvent, type TextDelta } from '../contracts/events.ts';

/** Buffered events. Consecutive plain text of the same choice becomes one delta. */
export class HeldEvents implements EventFold {
  #events: GenerateEvent[] = [];
  #last: { -readonly [Key in keyof TextDelta]: TextDelta[Key] } | undefined;

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    const last = this.#last;
    if (last && last.choice === choice && !logprobs) {
      last.text += text;
      last.tokens += tokens;
      return;
    }
    const delta = { type: 'text-delta', choice, text, tokens, logprobs } as const;
    this.#events.push(delta);
    this.#last = logprobs ? undefined : delta;
  }

  event(event: OtherEvent): void {
    this.#events.push(event);
    this.#last = undefined;
  }

  /** All events since the last call. */
  take(): GenerateEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#last = undefined;
    return events;
  }

  /** Emits all events since the last call. */
  give(fold: EventFold): void {
    for (const event of this.take()) giveEvent(event, fold);
  }
}
