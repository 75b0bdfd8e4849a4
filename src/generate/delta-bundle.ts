import type { TokenLogprob } from '../contracts/contract.ts';
import { type EventFold, type GenerateEvent, giveEvent, type OtherEvent } from '../contracts/events.ts';

type DeltaEvent = Extract<OtherEvent, { type: 'reasoning-delta' | 'tool-call-delta' }>;

/** Whether an event is a part of a choice that can be joined with later ones. */
export function isDelta(event: OtherEvent): event is DeltaEvent {
  return event.type === 'reasoning-delta' || event.type === 'tool-call-delta';
}

/** Deltas of one choice that are emitted together. Consecutive deltas of the same kind become one. */
export class DeltaBundle {
  readonly #choice: number;
  /** What came before the text. */
  #parts: GenerateEvent[] = [];
  #text = '';
  #tokens = 0;
  #logprobs: TokenLogprob[] | undefined;
  #isFirst = true;

  constructor(choice: number) {
    this.#choice = choice;
  }

  /** How many tokens the bundle has. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Whether nothing was emitted yet. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.#text += text;
    this.#tokens += tokens;
    if (!logprobs) return;
    this.#logprobs ??= [];
    for (const logprob of logprobs) this.#logprobs.push(logprob);
  }

  event(event: DeltaEvent): void {
    this.#closeText();
    const last = this.#parts.at(-1);
    const joined = last && join(last, event);
    if (joined) this.#parts[this.#parts.length - 1] = joined;
    else this.#parts.push(event);
  }

  give(fold: EventFold): void {
    const parts = this.#parts;
    const text = this.#text;
    const tokens = this.#tokens;
    const logprobs = this.#logprobs;
    if (parts.length === 0 && text === '' && tokens === 0 && !logprobs) return;
    this.#isFirst = false;
    this.#text = '';
    this.#tokens = 0;
    this.#logprobs = undefined;
    if (parts.length === 0) {
      fold.text(this.#choice, text, tokens, logprobs);
      return;
    }
    this.#parts = [];
    // The count comes first: each chunk may say how many tokens there were so far.
    fold.text(this.#choice, '', tokens, logprobs);
    for (const part of parts) giveEvent(part, fold);
    if (text !== '') fold.text(this.#choice, text, 0, undefined);
  }

  #closeText(): void {
    if (this.#text === '') return;
    this.#parts.push({ type: 'text-delta', choice: this.#choice, text: this.#text, tokens: 0, logprobs: undefined });
    this.#text = '';
  }
}

/** Two deltas of the same kind as one; undefined if their kinds differ. */
function join(last: GenerateEvent, next: DeltaEvent): DeltaEvent | undefined {
  if (last.type === 'reasoning-delta' && next.type === 'reasoning-delta')
    return { ...last, text: last.text + next.text };
  const isSameCall = last.type === 'tool-call-delta' && next.type === 'tool-call-delta' && last.index === next.index;
  if (isSameCall && next.id === undefined) return { ...last, arguments: last.arguments + next.arguments };
  return undefined;
}
