import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { KeyHolder } from '../keys/key-holder.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { LocalRates } from '../limits/local-rates.ts';
import { passKey } from './key-limits.ts';

const clock = { now: 0 };

function limits() {
  return { rates: new LocalRates({ now: () => clock.now }), gates: new LocalGates() };
}

function holder(rules: Partial<KeyHolder>): KeyHolder {
  return { id: 'key:a', name: 'a', owner: '', ...rules };
}

const { signal } = new AbortController();

async function refusalOf(pass: Promise<unknown>): Promise<unknown> {
  const error = await pass.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return error instanceof ApiError ? [error.code, error.message, error.retryAfter, error.headers] : error;
}

describe('passKey', () => {
  it('reports the state of the limits', async () => {
    const pass = await passKey(holder({ requestsPerMinute: 60, tokensPerMinute: 100 }), limits(), signal);
    expect(pass.headers).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '100',
      'x-ratelimit-reset-tokens': '0ms',
    });
    expect((await passKey(holder({}), limits(), signal)).headers).toEqual({});
  });

  it('refuses beyond the requests of a minute', async () => {
    const shared = limits();
    const few = holder({ requestsPerMinute: 1 });
    await passKey(few, shared, signal);
    expect(await refusalOf(passKey(few, shared, signal))).toEqual([
      'rate_limit_exceeded',
      'Rate limit reached for the API key "a": 1 request per minute. Try again in 60s.',
      60,
      {
        'x-ratelimit-limit-requests': '1',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m0s',
      },
    ]);
    clock.now += 60_000;
    await passKey(few, shared, signal);
  });

  it('charges tokens at the end, and takes no request where they are used up', async () => {
    const shared = limits();
    const both = holder({ requestsPerMinute: 3, tokensPerMinute: 100 });
    const [one, other] = [await passKey(both, shared, signal), await passKey(both, shared, signal)];
    one.leave(99);
    other.leave(51);
    expect(await refusalOf(passKey(both, shared, signal))).toEqual([
      'rate_limit_exceeded',
      'Rate limit reached for the API key "a": 100 tokens per minute. Try again in 31s.',
      31,
      { 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m30s' },
    ]);
    const left = await shared.rates.take({ name: 'key:a:requests', perMinute: 3 }, 0);
    expect(left.left).toBe(1);
  });

  it('lets requests in at the same time as long as tokens are left that none of them may take', async () => {
    const shared = limits();
    const key = holder({ tokensPerMinute: 100 });
    const enter = () => passKey(key, shared, signal);
    const [one, two, three, four, five] = await Promise.all([enter(), enter(), enter(), enter(), enter()]);
    const usedUp = expect.stringContaining('Rate limit reached for the API key "a": 100 tokens per minute.');
    await one.reserve(30);
    await two.reserve(500);
    expect(await refusalOf(three.reserve(1))).toContainEqual(usedUp);
    three.leave(0);
    expect(await refusalOf(passKey(key, shared, signal))).toContainEqual(usedUp);
    // What was set aside and not used comes back.
    two.leave(10);
    await four.reserve(60);
    expect(await refusalOf(five.reserve(1))).toContainEqual(usedUp);
    one.leave(130);
    four.leave(60);
    expect((await shared.rates.take({ name: 'key:a:tokens', perMinute: 100 }, 0)).left).toBe(-100);
  });

  it('counts running requests, and releases one that another limit rejects', async () => {
    const shared = limits();
    const two = holder({ concurrent: 2, requestsPerMinute: 3 });
    const [one] = [await passKey(two, shared, signal), await passKey(two, shared, signal)];
    expect(await refusalOf(passKey(two, shared, signal))).toEqual([
      'rate_limit_exceeded',
      'Concurrency limit reached for the API key "a": 2 running requests. Wait until one ends.',
      expect.any(Number),
      {},
    ]);
    one.leave(0);
    await passKey(two, shared, signal);
    one.leave(0);
    expect(await refusalOf(passKey(two, shared, signal))).toContainEqual(
      expect.stringContaining('Concurrency limit reached'),
    );
  });

  it('releases a request that a rate limit rejects', async () => {
    const shared = limits();
    const one = holder({ concurrent: 1, requestsPerMinute: 1 });
    (await passKey(one, shared, signal)).leave(0);
    for (let tries = 0; tries < 3; tries++)
      expect(await refusalOf(passKey(one, shared, signal))).toContainEqual(expect.stringContaining('per minute'));
  });

  it('ends when the client disconnects', async () => {
    const failure = await passKey(holder({ concurrent: 1 }), limits(), AbortSignal.abort()).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'client_closed_request' });
  });
});
