/** A limit per minute. */
export interface Rate {
  /** What is counted, and for which key; the same name is the same count in all processes. */
  readonly name: string;
  readonly perMinute: number;
}

/** The state of a rate. */
export interface RateState {
  /** The remaining amount; below zero where more was used than was known beforehand. */
  readonly left: number;
  /** Milliseconds until the rate is full again. */
  readonly fullIn: number;
}

/** The result of a request to use a rate. */
export interface RateResult extends RateState {
  readonly isAllowed: boolean;
  /** Milliseconds until the same request would be allowed; 0 if it was. */
  readonly retryIn: number;
}

/** Rates that one process, all workers, or all Conch servers on one Redis share. */
export interface Rates {
  /** Takes the amount, or nothing. An amount of 0 only checks whether anything is left. */
  take(rate: Rate, amount: number): Promise<RateResult>;
  /** Takes the amount in any case; a negative amount is given back. */
  charge(rate: Rate, amount: number): void;
  close(): Promise<void>;
}
