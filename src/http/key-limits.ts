import { ApiError, endedBy } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { GateFull, type Gates, type Release } from '../limits/gates.ts';
import type { Rate, RateResult, Rates } from '../limits/rates.ts';
import type { Signal } from '../signal.ts';
import { rateHeaders } from './rate-headers.ts';

/** The counters for the limits of keys. */
export interface KeyLimits {
  readonly rates: Rates;
  readonly gates: Gates;
}

/** A request that runs a model, admitted within the limits of its key. */
export interface KeyPass {
  /** The rate limit headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reserves tokens, at most as many as are left; throws a 429 if none are. */
  reserve(tokens: number): Promise<void>;
  /** Ends the request, with the tokens that it used. */
  leave(tokens: number): void;
}

/** Admits a request within the limits of its key; throws a 429 above them. */
export async function passKey(holder: KeyHolder, { rates, gates }: KeyLimits, signal: Signal): Promise<KeyPass> {
  const leaveGate = await enterGate(holder, gates, signal);
  const headers: Record<string, string> = {};
  const count = async (kind: Kind, amount: number): Promise<Rate | undefined> => {
    const rate = rateOf(holder, kind);
    if (!rate) return undefined;
    const result = await rates.take(rate, amount);
    Object.assign(headers, rateHeaders(kind, rate, result));
    if (!result.isAllowed) throw rateLimitError(holder, kind, { rate, result, headers });
    return rate;
  };
  try {
    // What is taken from a rate is not returned. So the tokens come first: nothing is taken from them yet.
    const tokens = await count('tokens', 0);
    await count('requests', 1);
    let reserved = 0;
    return {
      headers,
      reserve: async (requestedTokens) => {
        if (!tokens) return;
        const { taken, result } = await takeUpTo(requestedTokens, tokens, rates);
        reserved += taken;
        if (!result.isAllowed) throw rateLimitError(holder, 'tokens', { rate: tokens, result, headers });
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

/** Takes the requested amount, or all that is left. Retries if other requests take at the same time. */
async function takeUpTo(
  most: number,
  rate: Rate,
  rates: Rates,
): Promise<{ readonly taken: number; readonly result: RateResult }> {
  let amount = Math.max(1, Math.min(most, rate.perMinute));
  for (;;) {
    const result = await rates.take(rate, amount);
    if (result.isAllowed || result.left < 1 || amount === 1) return { taken: result.isAllowed ? amount : 0, result };
    amount = Math.max(1, Math.min(result.left, amount - 1));
  }
}

type Kind = 'requests' | 'tokens';

function rateOf({ id, requestsPerMinute, tokensPerMinute }: KeyHolder, kind: Kind): Rate | undefined {
  const perMinute = kind === 'requests' ? requestsPerMinute : tokensPerMinute;
  return perMinute === undefined ? undefined : { name: `${id}:${kind}`, perMinute };
}

interface RateLimitDetails {
  readonly rate: Rate;
  readonly result: RateResult;
  readonly headers: Readonly<Record<string, string>>;
}

function rateLimitError({ name }: KeyHolder, kind: Kind, { rate, result, headers }: RateLimitDetails): ApiError {
  const retryAfter = Math.max(1, Math.ceil(result.retryIn / 1000));
  const limit = `${rate.perMinute} ${rate.perMinute === 1 ? kind.slice(0, -1) : kind} per minute`;
  return new ApiError(
    'rate_limit_exceeded',
    `Rate limit reached for the API key ${JSON.stringify(name)}: ${limit}. Try again in ${retryAfter}s.`,
    { retryAfter, headers },
  );
}

async function enterGate(holder: KeyHolder, gates: Gates, signal: Signal): Promise<Release | undefined> {
  const { id, name, concurrent } = holder;
  if (concurrent === undefined) return undefined;
  try {
    return await gates.enter({ name: id, running: concurrent, waiting: 0 }, { priority: 0, signal });
  } catch (error) {
    if (signal.aborted) throw endedBy(signal, error);
    if (!(error instanceof GateFull)) throw error;
    const requests = concurrent === 1 ? '1 running request' : `${concurrent} running requests`;
    throw new ApiError(
      'rate_limit_exceeded',
      `Concurrency limit reached for the API key ${JSON.stringify(name)}: ${requests}. Wait until one ends.`,
      { retryAfter: error.retryAfter },
    );
  }
}
