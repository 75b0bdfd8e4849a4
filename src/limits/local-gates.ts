import type { Signal } from '../signal.ts';
import { type Gate, GateFull, type GateRequest, type Gates, type Release } from './gates.ts';

/** How many requests run and wait at a gate. */
export interface GateCounts {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly priority: number;
  readonly admit: () => void;
}

/** The weight of the last request in the average duration. */
const weightOfLast = 0.2;
/** Limits of `retryAfter`, in seconds. */
const shortestRetry = 1;
const longestRetry = 60;

/** The gates of one process. Empty gates are removed. */
export class LocalGates implements Gates {
  readonly #states = new Map<string, GateState>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async enter(gate: Gate, { priority, signal }: GateRequest): Promise<Release> {
    signal.throwIfAborted();
    const state = this.#states.get(gate.name) ?? new GateState(this.#now);
    this.#states.set(gate.name, state);
    try {
      return this.#releaseOnce(gate.name, await state.enter(gate, priority, signal));
    } finally {
      this.#forgetEmpty(gate.name);
    }
  }

  /** The current counts of a gate. */
  counts(name: string): GateCounts {
    return this.#states.get(name)?.counts() ?? { running: 0, waiting: 0 };
  }

  /** The number of gates with requests. */
  get size(): number {
    return this.#states.size;
  }

  #releaseOnce(name: string, release: Release): Release {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      release();
      this.#forgetEmpty(name);
    };
  }

  #forgetEmpty(name: string): void {
    const { running, waiting } = this.counts(name);
    if (running + waiting === 0) this.#states.delete(name);
  }
}

/** One gate with requests. */
class GateState {
  readonly #now: () => number;
  /** When the running requests were admitted, the oldest first. */
  readonly #running = new Set<{ readonly since: number }>();
  /** The next one first. */
  readonly #queue: Waiter[] = [];
  #limit = Number.POSITIVE_INFINITY;
  /** The recent average duration, in milliseconds. */
  #average: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  counts(): GateCounts {
    return { running: this.#running.size, waiting: this.#queue.length };
  }

  enter(gate: Gate, priority: number, signal: Signal): Promise<Release> {
    // The latest limit applies to all: settings change while requests wait.
    this.#limit = gate.running;
    this.#admit();
    if (this.#running.size < this.#limit) return Promise.resolve(this.#start());
    if (this.#queue.length >= gate.waiting) return Promise.reject(new GateFull(gate.name, this.#retryAfter()));
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        const at = this.#queue.indexOf(waiter);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        priority,
        admit: () => {
          signal.removeEventListener('abort', leaveQueue);
          resolve(this.#start());
        },
      };
      signal.addEventListener('abort', leaveQueue, { once: true });
      this.#queue.splice(this.#queue.findLastIndex((other) => other.priority >= priority) + 1, 0, waiter);
    });
  }

  #start(): Release {
    const admission = { since: this.#now() };
    this.#running.add(admission);
    return () => {
      this.#running.delete(admission);
      const took = this.#now() - admission.since;
      this.#average = this.#average === undefined ? took : this.#average + weightOfLast * (took - this.#average);
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#running.size < this.#limit) {
      const next = this.#queue.shift();
      if (!next) return;
      next.admit();
    }
  }

  /** The expected time to serve the queue, from the recent average or the age of the oldest running request. */
  #retryAfter(): number {
    const [oldest] = this.#running;
    const typical = this.#average ?? (oldest ? this.#now() - oldest.since : 0);
    const seconds = Math.ceil((typical * (this.#queue.length + 1)) / Math.max(1, this.#limit) / 1000);
    return Math.min(longestRetry, Math.max(shortestRetry, seconds));
  }
}
