import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventSink, Generation, OtherEvent } from '../contracts/events.ts';

/** A sink that passes everything on to another one; a stage overrides only what it changes. */
export class EventStage implements EventSink {
  protected readonly out: EventSink;

  constructor(out: EventSink) {
    this.out = out;
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    this.out.text(choice, text, tokens, logprobs);
  }

  event(event: OtherEvent): void {
    this.out.event(event);
  }

  end(): void {
    this.out.end();
  }

  fail(error: unknown): void {
    this.out.fail(error);
  }
}

/** A generation whose events pass through a stage. */
export function staged(generation: Generation, stage: (out: EventSink) => EventSink): Generation {
  return { start: (sink) => generation.start(stage(sink)) };
}

/** Leaves out reasoning, for requests with `include_reasoning: false`. */
export class WithoutReasoning extends EventStage {
  override event(event: OtherEvent): void {
    if (event.type !== 'reasoning-delta') this.out.event(event);
  }
}
