import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventSink, Generation, OtherEvent, RunningGeneration } from '../contracts/events.ts';
import type { Coalescer } from './coalescer.ts';
import { DeltaBundle, isDelta } from './delta-bundle.ts';

/** When the deltas of a stream are sent. */
export interface BundleOptions {
  /** After this number of tokens. */
  readonly interval: number;
  /** Also after a few milliseconds while the process is busy; left out: at once. */
  readonly coalescing?: Coalescer | undefined;
}

/** A generation with fewer, larger deltas. The first delta of a choice is sent at once. */
export function bundled(generation: Generation, options: BundleOptions): Generation {
  return { start: (sink) => new BundledGeneration(sink, options).start(generation) };
}

class BundledGeneration implements EventSink, RunningGeneration {
  readonly #sink: EventSink;
  readonly #options: BundleOptions;
  /** One for each choice up to the highest that had a delta. */
  readonly #bundles: DeltaBundle[] = [];
  #running: RunningGeneration | undefined;
  #isHeld = false;
  #isOver = false;

  constructor(sink: EventSink, options: BundleOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  start(generation: Generation): this {
    this.#running = generation.start(this);
    return this;
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    const bundle = this.#bundle(choice);
    bundle.text(text, tokens, logprobs);
    // Text without tokens belongs to the next token, or comes right before the finish.
    if (tokens > 0 && !this.#waits(bundle)) bundle.give(this.#sink);
  }

  event(event: OtherEvent): void {
    if (isDelta(event)) {
      this.#bundle(event.choice).event(event);
      return;
    }
    if (event.type === 'finish') this.#bundles[event.choice]?.give(this.#sink);
    this.#sink.event(event);
  }

  end(): void {
    this.#giveAll();
    this.#isOver = true;
    this.#sink.end();
  }

  fail(error: unknown): void {
    this.#giveAll();
    this.#isOver = true;
    this.#sink.fail(error);
  }

  /** The few milliseconds are over. */
  release(): void {
    this.#isHeld = false;
    if (this.#isOver) return;
    try {
      for (const bundle of this.#bundles) if (bundle.tokens >= this.#options.interval) bundle.give(this.#sink);
    } catch (error) {
      this.cancel();
      this.#sink.fail(error);
    }
  }

  pause(): void {
    this.#running?.pause();
  }

  resume(): void {
    this.#running?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#running?.cancel();
  }

  #waits(bundle: DeltaBundle): boolean {
    const { interval, coalescing } = this.#options;
    if (bundle.isFirst) return false;
    if (bundle.tokens < interval || this.#isHeld) return true;
    this.#isHeld = coalescing?.holds(this) ?? false;
    return this.#isHeld;
  }

  #bundle(choice: number): DeltaBundle {
    for (let next = this.#bundles.length; next <= choice; next++) this.#bundles.push(new DeltaBundle(next));
    return this.#bundles[choice] as DeltaBundle;
  }

  #giveAll(): void {
    for (const bundle of this.#bundles) bundle.give(this.#sink);
  }
}
