export type BreakerState = 'closed' | 'open' | 'half-open';

interface BreakerOptions {
  /** Failures in a row that open it; 0: it never opens. */
  readonly failures: number;
  /** Milliseconds until the first trial; each trial that fails doubles them. */
  readonly backoff: number;
  readonly random: () => number;
}

/** Trials are no further apart than this many times the first backoff. */
const mostBackoffs = 30;

/** A circuit breaker: opens after failures in a row, then lets one trial request through at a time. */
export class Breaker {
  readonly #options: () => BreakerOptions;
  #score = 0;
  #openings = 0;
  #openUntil: number | undefined;
  /** The number of the running trial, and how many there were. */
  #trial: number | undefined;
  #trials = 0;

  constructor(options: () => BreakerOptions) {
    this.#options = options;
  }

  stateAt(now: number): BreakerState {
    if (this.#openUntil === undefined) return 'closed';
    return now < this.#openUntil ? 'open' : 'half-open';
  }

  /** When it allows a request again; in the past when it does now. */
  get dueAt(): number {
    return this.#openUntil ?? 0;
  }

  allows(now: number): boolean {
    return this.#openUntil === undefined || (now >= this.#openUntil && this.#trial === undefined);
  }

  /** A request starts. If it is a trial, returns its number; the caller must report the end of the trial. */
  begin(now: number): number | undefined {
    if (this.#openUntil === undefined || !this.allows(now)) return undefined;
    this.#trial = ++this.#trials;
    return this.#trial;
  }

  /** A response arrived: the failures are over. */
  close(): void {
    this.#openUntil = undefined;
    this.#trial = undefined;
    this.#score = 0;
    this.#openings = 0;
  }

  /** A failure; its weight is below 1 if it is uncertain. Returns whether it opens the breaker, as a failed trial does. */
  fail(now: number, weight: number, trial?: number): boolean {
    const { failures } = this.#options();
    this.#score += weight;
    if (failures === 0) return false;
    const isTrial = trial !== undefined && trial === this.#trial;
    if (this.#openUntil === undefined ? this.#score < failures : !isTrial) return false;
    this.open(now);
    return true;
  }

  /** Allows no requests for a while, however few failed. */
  open(now: number): void {
    const { backoff, random } = this.#options();
    const wait = backoff * Math.min(2 ** this.#openings, mostBackoffs);
    this.#openings++;
    this.#openUntil = now + wait * (0.75 + random() / 2);
    this.#trial = undefined;
  }

  /** A response was complete: failures are no longer in a row. */
  complete(): void {
    if (this.#openUntil === undefined) this.#score = 0;
  }

  /** A trial ended without a result. */
  leaveTrial(trial: number): void {
    if (trial === this.#trial) this.#trial = undefined;
  }
}
