import type { Signal } from '../signal.ts';
/** A place that lets so many in at a time, and has a queue of so many. */
export interface Gate {
  /** What it is in front of; the same name is the same gate, whoever asks. */
  readonly name: string;
  /** Infinity: as many as want. */
  readonly running: number;
  readonly waiting: number;
}

/** Somebody who wants to pass. */
export interface Visit {
  /** Those with a higher number pass first; equal ones in the order in which they came. */
  readonly priority: number;
  /** Aborted when it no longer wants to. */
  readonly signal: Signal;
}

/** Passed: call it once what was let in is over. */
export type Leave = () => void;

/** The queue was full. */
export class GateFull extends Error {
  /** Seconds after which there may be room. */
  readonly retryAfter: number;

  constructor(gate: string, retryAfter: number) {
    super(`The queue of ${gate} is full.`);
    this.name = 'GateFull';
    this.retryAfter = retryAfter;
  }
}

/** Gates that hold for all processes of one Conch together. */
export interface Gates {
  /** Waits to be let in; rejects with GateFull, or with the reason of the signal. */
  enter(gate: Gate, visit: Visit): Promise<Leave>;
}
