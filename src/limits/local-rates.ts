import type { Rate, RateResult, Rates } from './rates.ts';

const minute = 60_000;

interface LocalRatesOptions {
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Names that are remembered; beyond, those that were not used for the longest time are forgotten. */
  readonly most?: number;
}

/**
 * The rates of one process. A rate is a token bucket with the capacity of one minute. The only state is when it will be
 * full again.
 */
export class LocalRates implements Rates {
  readonly #fullAt = new Map<string, number>();
  readonly #now: () => number;
  readonly #most: number;

  constructor({ now = () => performance.now(), most = 100_000 }: LocalRatesOptions = {}) {
    this.#now = now;
    this.#most = most;
  }

  take(rate: Rate, amount: number): Promise<RateResult> {
    const fullIn = this.#fullIn(rate.name);
    const isAllowed = waitFor(rate, { fullIn, amount }) <= rounding;
    if (isAllowed) this.charge(rate, amount);
    return Promise.resolve(rateResultOf(rate, { fullIn, amount, isAllowed }));
  }

  charge(rate: Rate, amount: number): void {
    if (amount !== 0) this.#keep(rate.name, Math.max(0, this.#fullIn(rate.name) + timeFor(rate, amount)));
  }

  async close(): Promise<void> {
    this.#fullAt.clear();
  }

  #fullIn(name: string): number {
    return Math.max(0, (this.#fullAt.get(name) ?? 0) - this.#now());
  }

  #keep(name: string, fullIn: number): void {
    this.#fullAt.delete(name);
    this.#fullAt.set(name, this.#now() + fullIn);
    const [oldest] = this.#fullAt.size > this.#most ? this.#fullAt.keys() : [];
    if (oldest !== undefined) this.#fullAt.delete(oldest);
  }
}

/** Milliseconds of tolerance: less than a microsecond is a rounding error of the clock. */
const rounding = 1e-3;

/** A request for an amount of a rate that is full again after `fullIn` milliseconds. */
interface RateRequest {
  readonly fullIn: number;
  readonly amount: number;
}

/** The result of a request. */
export function rateResultOf(
  rate: Rate,
  { isAllowed, ...request }: RateRequest & { readonly isAllowed: boolean },
): RateResult {
  const after = isAllowed ? request.fullIn + timeFor(rate, request.amount) : request.fullIn;
  return { isAllowed, ...stateOf(rate, after), retryIn: isAllowed ? 0 : Math.ceil(waitFor(rate, request)) };
}

/** Milliseconds until a request can be allowed. */
function waitFor(rate: Rate, { fullIn, amount }: RateRequest): number {
  return fullIn + timeFor(rate, Math.max(amount, 1)) - minute;
}

function stateOf({ perMinute }: Rate, fullIn: number) {
  const left = Math.floor(((minute - fullIn + rounding) / minute) * perMinute);
  return { left, fullIn: Math.ceil(fullIn) };
}

/** Milliseconds in which this amount is refilled. */
export function timeFor({ perMinute }: Rate, amount: number): number {
  return (amount * minute) / perMinute;
}
