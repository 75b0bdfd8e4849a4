import { ActiveList, type Entry } from '../../active-list.ts';

/** Looked at by the ticker while it is among its members. */
export interface Waiting {
  tick(now: number): void;
}

/** Milliseconds between two looks: what is timed by it ends at most so much late. */
const interval = 100;

/** One timer for everything that may wait too long, in place of one for each wait. */
export class Ticker {
  readonly #members = new ActiveList<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** The time of the last look, in milliseconds of performance.now(). */
  now = performance.now();

  add(member: Waiting): Entry<Waiting> {
    const entry = this.#members.add(member);
    if (this.#members.size === 1) this.now = performance.now();
    this.#timer ??= setInterval(this.#look, interval).unref();
    return entry;
  }

  remove(entry: Entry<Waiting>): void {
    this.#members.remove(entry);
  }

  readonly #look = (): void => {
    this.now = performance.now();
    // It ends here, not with its last member: the next one is seldom far.
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const member of this.#members) member.tick(this.now);
  };
}
