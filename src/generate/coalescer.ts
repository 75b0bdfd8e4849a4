/** A stream that waits for the shared timer. */
interface HeldStream {
  /** It does not throw. */
  release(): void;
}

/** A process is busy if its event loop works for at least this share of the time. */
const busyShare = 0.5;
/** Milliseconds between two measurements of that share. */
const lookInterval = 100;

/**
 * Delays deltas for a few milliseconds while the process is busy: each stream gets fewer, larger chunks. All streams
 * wait for the same timer.
 */
export class Coalescer {
  readonly #milliseconds: () => number;
  #held: HeldStream[] = [];
  #share = 0;
  #lookedAt = performance.now();
  #before = performance.eventLoopUtilization();

  /** @param milliseconds 0: nothing is delayed */
  constructor(milliseconds: () => number) {
    this.#milliseconds = milliseconds;
  }

  /** Whether streams may be delayed. */
  get isOn(): boolean {
    return this.#milliseconds() > 0;
  }

  /** Delays a stream until its `release` is called; false while the process is not busy. */
  holds(held: HeldStream): boolean {
    if (!this.isOn || !this.#measureBusy()) return false;
    if (this.#held.push(held) === 1) setTimeout(this.#release, this.#milliseconds());
    return true;
  }

  /** Whether the process is busy, measured again after an interval. */
  #measureBusy(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt >= lookInterval) {
      const total = performance.eventLoopUtilization();
      this.#share = performance.eventLoopUtilization(total, this.#before).utilization;
      this.#before = total;
      this.#lookedAt = now;
    }
    return this.#share >= busyShare;
  }

  readonly #release = (): void => {
    const held = this.#held;
    this.#held = [];
    for (const each of held) each.release();
  };
}
