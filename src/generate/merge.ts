import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventSink, Generation, OtherEvent, RunningGeneration } from '../contracts/events.ts';

/** Several generations as one, with their events as they arrive. The first failure ends them all. */
export function merge(sources: readonly Generation[]): Generation {
  return { start: (sink) => new MergedGenerations(sink).start(sources) };
}

class MergedGenerations implements RunningGeneration, EventSink {
  readonly #sink: EventSink;
  #sources: readonly RunningGeneration[] = [];
  #running = 0;
  #isOver = false;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  start(sources: readonly Generation[]): this {
    this.#running = sources.length;
    this.#sources = sources.map((source) => source.start(this));
    return this;
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    if (!this.#isOver) this.#sink.text(choice, text, tokens, logprobs);
  }

  event(event: OtherEvent): void {
    if (!this.#isOver) this.#sink.event(event);
  }

  end(): void {
    if (--this.#running > 0 || this.#isOver) return;
    this.#isOver = true;
    this.#sink.end();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.cancel();
    this.#sink.fail(error);
  }

  pause(): void {
    for (const source of this.#sources) source.pause();
  }

  resume(): void {
    for (const source of this.#sources) source.resume();
  }

  cancel(): void {
    this.#isOver = true;
    for (const source of this.#sources) source.cancel();
  }
}
