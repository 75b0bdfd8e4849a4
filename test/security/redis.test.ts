import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisRates } from '../../src/limits/redis-rates.ts';
import { directive } from '../support/exchange.ts';
import { Redis } from '../support/redis.ts';
import { isLeftOut } from '../support/system-program.ts';
import { chatAs, type Keyed, startKeyed } from './keyed.ts';

/** Rates on a Redis, and what was said of it. */
async function openRates(url: string) {
  const said: string[] = [];
  const waiting = new Set<() => void>();
  const say = (text: string): void => {
    said.push(text);
    for (const look of waiting) look();
  };
  const rates = await RedisRates.open(url, {
    onDown: (reason) => say(`down: ${reason}`),
    onBack: () => say('back'),
  });
  const untilSaid = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (said.length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { rates, said, untilSaid };
}

describe.skipIf(isLeftOut('redis-server'))('rates on Redis', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await Redis.start({ password: 'pearl-0815' });
  });
  afterAll(() => redis.remove());

  it('are shared by all who use it', async () => {
    const [one, other] = [await openRates(redis.url), await openRates(redis.url)];
    const rate = { name: 'key:shared:requests', perMinute: 3 };
    expect(await one.rates.take(rate, 1)).toEqual({ isAllowed: true, left: 2, fullIn: 20_000, retryIn: 0 });
    expect(await other.rates.take(rate, 1)).toMatchObject({ isAllowed: true, left: 1 });
    expect(await one.rates.take(rate, 1)).toMatchObject({ isAllowed: true, left: 0 });
    const refused = await other.rates.take(rate, 1);
    expect(refused).toMatchObject({ isAllowed: false, left: 0 });
    expect(refused.retryIn).toBeGreaterThan(0);
    expect(refused.retryIn).toBeLessThanOrEqual(20_000);
    await Promise.all([one.rates.close(), other.rates.close()]);
  });

  it('give exactly as many as they have, however many ask at once', async () => {
    const handles = await Promise.all(Array.from({ length: 4 }, () => openRates(redis.url)));
    const rate = { name: 'key:rush:requests', perMinute: 97 };
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => handles[index % 4]?.rates.take(rate, 1)),
    );
    // A slow machine lets a little come back in between, never less.
    const granted = responses.filter((response) => response?.isAllowed).length;
    expect(granted).toBeGreaterThanOrEqual(97);
    expect(granted).toBeLessThan(110);
    await Promise.all(handles.map(({ rates }) => rates.close()));
  });

  it('charge beyond what is left', async () => {
    const { rates } = await openRates(redis.url);
    const rate = { name: 'key:charged:tokens', perMinute: 100 };
    expect(await rates.take(rate, 0)).toEqual({ isAllowed: true, left: 100, fullIn: 0, retryIn: 0 });
    rates.charge(rate, 250);
    const after = await rates.take(rate, 0);
    expect(after).toMatchObject({ isAllowed: false });
    expect(after.left).toBeLessThanOrEqual(-149);
    expect(after.retryIn).toBeGreaterThan(80_000);
    await rates.close();
  });

  it('leave keys that end by themselves, all under one prefix', async () => {
    const { rates } = await openRates(redis.url);
    await rates.take({ name: 'key:ending:requests', perMinute: 6 }, 1);
    const [left = ''] = redis.command('PTTL', 'conch:rate:key:ending:requests');
    expect(Number(left)).toBeGreaterThan(0);
    expect(Number(left)).toBeLessThanOrEqual(10_001);
    expect(redis.command('KEYS', '*').every((key) => key.startsWith('conch:rate:'))).toBe(true);
    await rates.close();
  });

  it('are forgotten with the script by a Redis that was emptied, and go on', async () => {
    const { rates, said } = await openRates(redis.url);
    const rate = { name: 'key:flushed:requests', perMinute: 2 };
    await rates.take(rate, 2);
    redis.command('FLUSHALL');
    redis.command('SCRIPT', 'FLUSH');
    expect(await rates.take(rate, 1)).toMatchObject({ isAllowed: true, left: 1 });
    expect(said).toEqual([]);
    await rates.close();
  });

  it('are those of the process while Redis is dead, which is said once, and shared again once it is back', async () => {
    const { rates, said, untilSaid } = await openRates(redis.url);
    const rate = { name: 'key:dead:requests', perMinute: 2 };
    expect(await rates.take(rate, 1)).toMatchObject({ isAllowed: true, left: 1 });
    await redis.kill();
    const alone = [await rates.take(rate, 1), await rates.take(rate, 1), await rates.take(rate, 1)];
    expect(alone.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false]);
    rates.charge(rate, 5);
    await redis.begin();
    await untilSaid(2);
    expect(said).toEqual([expect.stringMatching(/^down: /), 'back']);
    // A Redis that was killed has forgotten.
    expect(await rates.take(rate, 1)).toMatchObject({ isAllowed: true, left: 1 });
    await rates.close();
  });

  it('hold nobody up while Redis accepts and never answers', async () => {
    const { rates, said, untilSaid } = await openRates(redis.url);
    const rate = { name: 'key:frozen:requests', perMinute: 2 };
    redis.freeze();
    const alone = [await rates.take(rate, 1), await rates.take(rate, 1), await rates.take(rate, 1)];
    expect(alone.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false]);
    redis.thaw();
    await untilSaid(2);
    expect(said).toEqual(['down: no response within 250ms', 'back']);
    await rates.close();
  });

  it('begin by themselves where there is no Redis, and tell no password', async () => {
    const none = await openRates('redis://:pearl-4711@127.0.0.1:1');
    expect(await none.rates.take({ name: 'a', perMinute: 1 }, 1)).toMatchObject({ isAllowed: true });
    expect(none.said).toEqual(['down: connect ECONNREFUSED 127.0.0.1:1']);
    await none.rates.close();
  });

  it('do not begin where Redis lets them not in', async () => {
    const wrong = openRates(redis.url.replace('pearl-0815', 'pearl-4711'));
    await expect(wrong).rejects.toThrow(/^WRONGPASS/);
    await expect(wrong).rejects.not.toThrow('pearl');
  });
});

describe.skipIf(isLeftOut('redis-server'))('two Conches on one Redis', () => {
  let redis: Redis;
  let one: Keyed;
  let other: Keyed;
  beforeAll(async () => {
    redis = await Redis.start({ password: 'pearl-0815' });
    const keys = { a: { requests_per_minute: 2 }, b: { tokens_per_minute: 20 }, free: {} };
    const start = () => startKeyed(keys, '--redis', redis.url);
    [one, other] = await Promise.all([start(), start()]);
    // The first answer waits for a tokenizer.
    await Promise.all([chatAs(one, 'free'), chatAs(other, 'free')]);
  });
  afterAll(async () => {
    await Promise.all([one.end(), other.end()]);
    await redis.remove();
  });

  const statuses = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const conch of [one, other, one, other]) found.push((await chatAs(conch, 'a')).status);
    return found;
  };

  it('share the limits of their keys', async () => {
    expect(await statuses()).toEqual([200, 200, 429, 429]);
    // What one has used of its tokens, the other lacks.
    const used = await chatAs(one, 'b', { content: directive({ tokens: 30 }), max_tokens: 30 });
    expect(used.status).toBe(200);
    await one.logged(({ reqId }) => reqId === used.headers.get('x-request-id'));
    expect((await chatAs(other, 'b')).status).toBe(429);
  });

  it('hold them each alone while Redis is gone, and together again when it is back', async () => {
    await redis.kill();
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect(await statuses()).toEqual([429, 429, 429, 429]);
    const closed = `Redis at ${redis.host} is unreachable (`;
    for (const conch of [one, other])
      await conch.logged(({ level, message }) => level === 'warn' && String(message).startsWith(closed));
    await redis.begin();
    const back = `Redis at ${redis.host} is reachable again: key limits are shared`;
    for (const conch of [one, other]) await conch.logged(({ message }) => message === back);
    expect(await statuses()).toEqual([200, 200, 429, 429]);
    for (const conch of [one, other]) {
      expect(conch.log().filter(({ message }) => String(message).includes('Redis'))).toHaveLength(2);
      expect(JSON.stringify(conch.log())).not.toContain('pearl-0815');
    }
  });
});
