import type { TokenLogprob } from '../contracts/contract.ts';
import {
  type EventSink,
  type Generation,
  giveSafely,
  type OtherEvent,
  type RunningGeneration,
} from '../contracts/events.ts';
import { HeldEvents } from './held-events.ts';

/** The same generation once its first event has arrived; rejects if it fails before that. */
export function begunGeneration(generation: Generation): Promise<Generation> {
  return new Promise((resolve, reject) => {
    const begun: BegunGeneration = new BegunGeneration({ resolve: () => resolve(begun), reject });
    begun.run(generation);
  });
}

interface Settling {
  resolve(): void;
  reject(error: unknown): void;
}

/** Buffers events, and pauses the source, until a sink is attached. */
class BegunGeneration implements Generation, RunningGeneration, EventSink {
  readonly #settling: Settling;
  readonly #held = new HeldEvents();
  #sink: EventSink | undefined;
  #running: RunningGeneration | undefined;
  #hasBegun = false;
  #isPaused = false;
  #isOver = false;
  /** How it ended, until the sink is informed. */
  #ending: { readonly error: unknown } | 'complete' | undefined;

  constructor(settling: Settling) {
    this.#settling = settling;
  }

  run(generation: Generation): void {
    this.#running = generation.start(this);
  }

  start(sink: EventSink): this {
    queueMicrotask(() => giveSafely(sink, () => this.#tell(sink)));
    return this;
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    if (this.#sink) this.#sink.text(choice, text, tokens, logprobs);
    else {
      this.#held.text(choice, text, tokens, logprobs);
      this.#begin();
    }
  }

  event(event: OtherEvent): void {
    if (this.#sink) this.#sink.event(event);
    else {
      this.#held.event(event);
      this.#begin();
    }
  }

  end(): void {
    this.#ending = 'complete';
    this.#begin();
    if (this.#sink) this.#end(this.#sink);
  }

  fail(error: unknown): void {
    this.#ending = { error };
    if (!this.#hasBegun) this.#settling.reject(error);
    else if (this.#sink) this.#end(this.#sink);
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#sink) this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#sink) this.#running?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#running?.cancel();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#running?.pause();
    this.#settling.resolve();
  }

  /** Attaches the sink. */
  #tell(sink: EventSink): void {
    if (this.#isOver) return;
    this.#sink = sink;
    this.#held.give(sink);
    this.#end(sink);
    if (!this.#isPaused) this.#running?.resume();
  }

  #end(sink: EventSink): void {
    if (this.#isOver || !this.#ending) return;
    this.#isOver = true;
    if (this.#ending === 'complete') sink.end();
    else sink.fail(this.#ending.error);
  }
}
