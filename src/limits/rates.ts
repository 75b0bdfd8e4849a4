/** So many of something in a minute. */
export interface Rate {
  /** What is counted and for whom; the same name is the same count, whoever asks. */
  readonly name: string;
  readonly perMinute: number;
}

/** How a rate stands. */
export interface RateState {
  /** What is left; below zero where more was used than was known beforehand. */
  readonly left: number;
  /** Milliseconds until all of it is back. */
  readonly fullIn: number;
}

/** What became of a wish to use something. */
export interface RateAnswer extends RateState {
  readonly isAllowed: boolean;
  /** Milliseconds until the same wish would be granted; 0 where it was. */
  readonly retryIn: number;
}

/** Rates that hold for everybody who shares them: one process, all workers, or all Conches on one Redis. */
export interface Rates {
  /** Takes so much, or nothing at all. An amount of 0 asks only whether anything is left. */
  take(rate: Rate, amount: number): Promise<RateAnswer>;
  /** Takes what has been used in any case; a negative amount is given back. */
  charge(rate: Rate, amount: number): void;
  close(): Promise<void>;
}
