import { ActiveList, type ListEntry } from '../../active-list.ts';

/** Called at each tick while it is a member of the ticker. */
export interface TickListener {
  tick(now: number): void;
}

/** Milliseconds between two ticks: a timeout ends at most this much late. */
const interval = 100;

/** One timer for everything that may wait too long, instead of one timer per wait. */
export class Ticker {
  readonly #members = new ActiveList<TickListener>();
  #timer: NodeJS.Timeout | undefined;
  /** The time of the last tick, in milliseconds of performance.now(). */
  now = performance.now();

  add(member: TickListener): ListEntry<TickListener> {
    const entry = this.#members.add(member);
    if (this.#members.size === 1) this.now = performance.now();
    this.#timer ??= setInterval(this.#look, interval).unref();
    return entry;
  }

  remove(entry: ListEntry<TickListener>): void {
    this.#members.remove(entry);
  }

  readonly #look = (): void => {
    this.now = performance.now();
    // The timer ends here, not with its last member: the next one usually comes soon.
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const member of this.#members) member.tick(this.now);
  };
}
