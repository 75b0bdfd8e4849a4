/** Receives the events of a response as they are written. */
export interface FollowSink {
  text(text: string): void;
  /** There are no more events. */
  end(): void;
}

/** The events of a response so far, by sequence number. */
interface FollowedEvents {
  readonly written: readonly string[];
  readonly isOver: boolean;
}

/** Passes the events of a response to a sink from a sequence number on, each once, as fast as the sink accepts them. */
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

  /** Called when there may be more events. */
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
