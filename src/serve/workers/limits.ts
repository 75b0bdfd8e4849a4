import { type Gate, GateFull, type GateRequest, type Gates, type Release } from '../../limits/gates.ts';
import type { Rate, RateResult, Rates } from '../../limits/rates.ts';
import type { Messenger } from './messenger.ts';

/** A request to pass a gate; its key releases it later. A limit of null means no limit: JSON has no infinity. */
interface GateEntry {
  readonly key: number;
  readonly name: string;
  readonly running: number | null;
  readonly waiting: number | null;
  readonly priority: number;
}

/** The result of the request. */
type GateOutcome = { readonly kind: 'inside' | 'left' } | { readonly kind: 'full'; readonly retryAfter: number };

/** The state of a rate, as JSON. */
type RateOutcome = Omit<RateResult, 'left'> & { readonly left: number | null };

interface RateMessage {
  readonly rate: Rate;
  readonly amount: number;
}

/** Gates in the primary, which apply to all workers together. */
export class RemoteGates implements Gates {
  readonly #primary: Messenger;
  #nextKey = 0;

  constructor(primary: Messenger) {
    this.#primary = primary;
  }

  async enter(gate: Gate, { priority, signal }: GateRequest): Promise<Release> {
    signal.throwIfAborted();
    const key = this.#nextKey++;
    const abort = (): void => this.#primary.notify('gate.abort', key);
    signal.addEventListener('abort', abort, { once: true });
    const { name, running, waiting } = gate;
    const entry: GateEntry = { key, name, running: limitOf(running), waiting: limitOf(waiting), priority };
    const outcome = await this.#primary
      .ask('gate.enter', entry)
      .then((response) => response as GateOutcome)
      .finally(() => signal.removeEventListener('abort', abort));
    if (outcome.kind === 'full') throw new GateFull(gate.name, outcome.retryAfter);
    let isInside = outcome.kind === 'inside';
    const leave = (): void => {
      if (isInside) this.#primary.notify('gate.leave', key);
      isInside = false;
    };
    // It may have been admitted while it aborted.
    if (signal.aborted) leave();
    signal.throwIfAborted();
    return leave;
  }
}

/** Rates that are counted in the primary. */
export class RemoteRates implements Rates {
  readonly #primary: Messenger;

  constructor(primary: Messenger) {
    this.#primary = primary;
  }

  async take(rate: Rate, amount: number): Promise<RateResult> {
    const request: RateMessage = { rate, amount };
    const outcome = (await this.#primary.ask('rate.take', request)) as RateOutcome;
    return { ...outcome, left: outcome.left ?? Number.POSITIVE_INFINITY };
  }

  charge(rate: Rate, amount: number): void {
    const request: RateMessage = { rate, amount };
    this.#primary.notify('rate.charge', request);
  }

  async close(): Promise<void> {
    // They belong to the primary.
  }
}

/** Serves the shared limits to a worker. The returned function releases its entries when the worker has ended. */
export function hostLimits(worker: Messenger, gates: Gates, rates?: Rates): () => void {
  const waiting = new Map<number, AbortController>();
  const inside = new Map<number, Release>();
  let hasEnded = false;
  const enter = async ({ key, name, running, waiting: queued, priority }: GateEntry): Promise<GateOutcome> => {
    const stop = new AbortController();
    waiting.set(key, stop);
    try {
      const gate = { name, running: running ?? Number.POSITIVE_INFINITY, waiting: queued ?? Number.POSITIVE_INFINITY };
      const leave = await gates.enter(gate, { priority, signal: stop.signal });
      if (hasEnded) leave();
      else inside.set(key, leave);
      return { kind: 'inside' };
    } catch (error) {
      if (error instanceof GateFull) return { kind: 'full', retryAfter: error.retryAfter };
      if (stop.signal.aborted) return { kind: 'left' };
      throw error;
    } finally {
      waiting.delete(key);
    }
  };
  worker.on('gate.enter', (entry) => enter(entry as GateEntry));
  worker.on('gate.abort', (key) => waiting.get(key as number)?.abort());
  worker.on('gate.leave', (key) => {
    inside.get(key as number)?.();
    inside.delete(key as number);
  });
  if (rates) hostRates(worker, rates);
  return () => {
    hasEnded = true;
    for (const stop of waiting.values()) stop.abort();
    for (const leave of inside.values()) leave();
    inside.clear();
  };
}

function limitOf(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

function hostRates(worker: Messenger, rates: Rates): void {
  worker.on('rate.take', async (request): Promise<RateOutcome> => {
    const { rate, amount } = request as RateMessage;
    const result = await rates.take(rate, amount);
    return { ...result, left: limitOf(result.left) };
  });
  worker.on('rate.charge', (request) => {
    const { rate, amount } = request as RateMessage;
    rates.charge(rate, amount);
  });
}
