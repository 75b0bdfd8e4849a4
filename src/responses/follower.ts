/** Hears of the events of a response, as they are written. */
export interface FollowSink {
  text(text: string): void;
  /** No more come. */
  end(): void;
}

/** The events of a response so far, by their numbers. */
interface FollowedEvents {
  readonly written: readonly string[];
  readonly isOver: boolean;
}

/** Gives a sink the events of a response from a number on, each once, as fast as it takes them. */
export class Follower {
  readonly #events: FollowedEvents;
  readonly #sink: FollowSink;
  #next: number;
  #isPaused = false;
  #isOver = false;

  constructor(events: FollowedEvents, next: number, sink: FollowSink) {
    this.#events = events;
    this.#next = next;
    this.#sink = sink;
  }

  /** There may be more by now. */
  readonly look = (): void => {
    if (this.#isPaused || this.#isOver) return;
    const { written, isOver } = this.#events;
    const text = written.slice(this.#next).join('');
    this.#next = Math.max(this.#next, written.length);
    if (text !== '') this.#sink.text(text);
    if (!isOver) return;
    this.#isOver = true;
    this.#sink.end();
  };

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.look();
  }

  cancel(): void {
    this.#isOver = true;
  }
}
