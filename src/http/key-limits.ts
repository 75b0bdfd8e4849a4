import { ApiError, endedBy } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { GateFull, type Gates, type Leave } from '../limits/gates.ts';
import type { Rate, RateAnswer, Rates } from '../limits/rates.ts';
import type { Signal } from '../signal.ts';
import { rateHeaders } from './rate-headers.ts';

/** What the limits of keys are counted with. */
export interface KeyLimits {
  readonly rates: Rates;
  readonly gates: Gates;
}

/** A request that runs a model and keeps to the limits of its key. */
export interface KeyPass {
  /** How the rates of the key stand, for the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sets tokens aside that it may take, as many as there are; throws a 429 where none is left. */
  reserve(tokens: number): Promise<void>;
  /** Says that the request is over, and how many tokens it took. */
  leave(tokens: number): void;
}

/** Lets a request in that keeps to the limits of its key, and throws a 429 for one that does not. */
export async function passKey(holder: KeyHolder, { rates, gates }: KeyLimits, signal: Signal): Promise<KeyPass> {
  const leaveGate = await enterGate(holder, gates, signal);
  const headers: Record<string, string> = {};
  const count = async (kind: Kind, amount: number): Promise<Rate | undefined> => {
    const rate = rateOf(holder, kind);
    if (!rate) return undefined;
    const answer = await rates.take(rate, amount);
    Object.assign(headers, rateHeaders(kind, rate, answer));
    if (!answer.isAllowed) throw beyond(holder, kind, { rate, answer, headers });
    return rate;
  };
  try {
    // What is taken of a rate is not given back, so the tokens, of which nothing is taken yet, are asked for first.
    const tokens = await count('tokens', 0);
    await count('requests', 1);
    let reserved = 0;
    return {
      headers,
      reserve: async (wanted) => {
        if (!tokens) return;
        const { taken, answer } = await takeUpTo(wanted, tokens, rates);
        reserved += taken;
        if (!answer.isAllowed) throw beyond(holder, 'tokens', { rate: tokens, answer, headers });
      },
      leave: (used) => {
        leaveGate?.();
        if (tokens) rates.charge(tokens, used - reserved);
      },
    };
  } catch (error) {
    leaveGate?.();
    throw error;
  }
}

/** Takes so much, or all that is left. Others may take at the same time, so it may need to look again. */
async function takeUpTo(wanted: number, rate: Rate, rates: Rates) {
  let amount = Math.max(1, Math.min(wanted, rate.perMinute));
  for (;;) {
    const answer = await rates.take(rate, amount);
    if (answer.isAllowed || answer.left < 1 || amount === 1) return { taken: answer.isAllowed ? amount : 0, answer };
    amount = Math.max(1, Math.min(answer.left, amount - 1));
  }
}

type Kind = 'requests' | 'tokens';

function rateOf({ id, requestsPerMinute, tokensPerMinute }: KeyHolder, kind: Kind): Rate | undefined {
  const perMinute = kind === 'requests' ? requestsPerMinute : tokensPerMinute;
  return perMinute === undefined ? undefined : { name: `${id}:${kind}`, perMinute };
}

interface Beyond {
  readonly rate: Rate;
  readonly answer: RateAnswer;
  readonly headers: Readonly<Record<string, string>>;
}

function beyond({ name }: KeyHolder, kind: Kind, { rate, answer, headers }: Beyond): ApiError {
  const retryAfter = Math.max(1, Math.ceil(answer.retryIn / 1000));
  const limit = `${rate.perMinute} ${rate.perMinute === 1 ? kind.slice(0, -1) : kind} per minute`;
  return new ApiError(
    'rate_limit_exceeded',
    `The key ${JSON.stringify(name)} may use ${limit}, and that is used up. Try again in ${retryAfter}s.`,
    { retryAfter, headers },
  );
}

async function enterGate(holder: KeyHolder, gates: Gates, signal: Signal): Promise<Leave | undefined> {
  const { id, name, concurrent } = holder;
  if (concurrent === undefined) return undefined;
  try {
    return await gates.enter({ name: id, running: concurrent, waiting: 0 }, { priority: 0, signal });
  } catch (error) {
    if (signal.aborted) throw endedBy(signal, error);
    if (!(error instanceof GateFull)) throw error;
    const requests = concurrent === 1 ? '1 request' : `${concurrent} requests`;
    throw new ApiError(
      'rate_limit_exceeded',
      `The key ${JSON.stringify(name)} may have ${requests} running at the same time. Wait until one is over.`,
      { retryAfter: error.retryAfter },
    );
  }
}
