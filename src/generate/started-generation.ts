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
export function startedGeneration(generation: Generation): Promise<Generation> {
  return new Promise((resolve, reject) => {
    const started: StartedGeneration = new StartedGeneration({ resolve: () => resolve(started), reject });
    started.run(generation);
  });
}

interface PromiseCallbacks {
  resolve(): void;
  reject(error: unknown): void;
}

/** Buffers events, and pauses the source, until a sink is attached. */
class StartedGeneration implements Generation, RunningGeneration, EventSink {
  readonly #callbacks: PromiseCallbacks;
  readonly #held = new HeldEvents();
  #sink: EventSink | undefined;
  #running: RunningGeneration | undefined;
  #hasStarted = false;
  #isPaused = false;
  #isOver = false;
  /** How it ended, until the sink is informed. */
  #ending: { readonly error: unknown } | 'complete' | undefined;

  constructor(callbacks: PromiseCallbacks) {
    this.#callbacks = callbacks;
  }

  run(generation: Generation): void {
    this.#running = generation.start(this);
  }

  start(sink: EventSink): this {
    queueMicrotask(() => giveSafely(sink, () => this.#attach(sink)));
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
    if (!this.#hasStarted) this.#callbacks.reject(error);
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
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#running?.pause();
    this.#callbacks.resolve();
  }

  /** Attaches the sink. */
  #attach(sink: EventSink): void {
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
