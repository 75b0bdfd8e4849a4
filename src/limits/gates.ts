import type { Signal } from '../signal.ts';
/** A limit on running requests, with a queue of limited length. */
export interface Gate {
  /** What it limits; the same name is the same gate in all processes. */
  readonly name: string;
  /** Infinity: no limit. */
  readonly running: number;
  readonly waiting: number;
}

/** A request at a gate. */
export interface GateRequest {
  /** A higher number is admitted first; equal ones in the order of arrival. */
  readonly priority: number;
  /** Aborted when the request is cancelled. */
  readonly signal: Signal;
}

/** Call it when the admitted request has ended. */
export type Release = () => void;

/** The queue was full. */
export class GateFull extends Error {
  /** Seconds after which the queue may have capacity. */
  readonly retryAfter: number;

  constructor(gate: string, retryAfter: number) {
    super(`The queue of ${gate} is full.`);
    this.name = 'GateFull';
    this.retryAfter = retryAfter;
  }
}

/** Gates that all processes of one Conch share. */
export interface Gates {
  /** Waits for admission; rejects with GateFull, or with the reason of the signal. */
  enter(gate: Gate, request: GateRequest): Promise<Release>;
}
