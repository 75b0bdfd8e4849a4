import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { LocalRates, rateResultOf, timeFor } from './local-rates.ts';
import type { Rate, RateResult, Rates } from './rates.ts';

/**
 * Uses a rate in one atomic step, by Redis's own clock. KEYS: the rate. ARGV: the microseconds that refill the amount
 * (negative: it is given back), and the microseconds that must be free (0: use it in any case). Returns the microseconds
 * after which the rate would have been full without this use, and whether the use was allowed. The key expires when the
 * rate is full.
 */
const rateScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = tonumber(redis.call('GET', KEYS[1]) or 0)
local before = math.max(0, full - now)
local cost = tonumber(ARGV[1])
local needed = tonumber(ARGV[2])
local granted = 1
if needed > 0 and before + needed > 60000000 + 1 then granted = 0 end
if granted == 1 and cost ~= 0 then
  local after = math.max(0, before + cost)
  redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000) + 1)
end
return { string.format('%.0f', before), granted }
`;

/** The name that Redis knows the script by. */
const rateScriptHash = createHash('sha1').update(rateScript).digest('hex');

/** Notified when Redis becomes unreachable or reachable. */
export interface RedisListener {
  /** Called once when Redis becomes unreachable, or is at the start; the reason has no password. */
  onDown(reason: string): void;
  onBack(): void;
}

/** Redis rejects the credentials: waiting does not help. */
export class RedisRefusal extends Error {}

/** The prefix of all our keys in Redis. */
const keyPrefix = 'conch:rate:';

/** Milliseconds that a request waits for Redis before this process decides by itself. */
const longestWait = 250;
/** Milliseconds that the start waits for Redis. */
const longestStart = 2_000;
/** Milliseconds between two probes of an unreachable Redis. */
const probePause = 500;
/** Milliseconds after which Conch replaces a silent connection, and between two pings. */
const silence = 10_000;
const pingInterval = 2_000;

const microseconds = 1000;

/** The result of the script. */
interface ScriptResult {
  /** Milliseconds after which the rate would have been full without this use. */
  readonly fullIn: number;
  readonly isAllowed: boolean;
}

/** Rates that all servers on the same Redis share. While Redis is unreachable, this process counts its own. */
export class RedisRates implements Rates {
  readonly #client: ReturnType<typeof createClient>;
  readonly #listener: RedisListener;
  readonly #localRates = new LocalRates();
  readonly #stop = new AbortController();
  #isDown = false;

  private constructor(url: string, listener: RedisListener) {
    this.#listener = listener;
    this.#client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval,
      socket: {
        connectTimeout: longestStart,
        socketTimeout: silence,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1_000),
      },
    });
  }

  /** Connects; continues in the background if that takes too long. Throws a RedisRefusal. */
  static async open(url: string, listener: RedisListener): Promise<RedisRates> {
    const rates = new RedisRates(url, listener);
    let reason = `no connection within ${longestStart}ms`;
    let isOpen = false;
    const connected = new Promise<boolean>((resolve) => {
      rates.#client.on('ready', () => resolve(true));
      rates.#client.on('error', (error: unknown) => {
        reason = reasonOf(error);
        resolve(false);
        if (isOpen) rates.#fail(reason);
      });
    });
    // It rejects only on close.
    rates.#client.connect().catch(() => undefined);
    const isReady = await within(connected, longestStart);
    isOpen = true;
    if (isReady) return rates;
    if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(reason)) {
      await rates.close();
      throw new RedisRefusal(reason);
    }
    rates.#fail(reason);
    return rates;
  }

  async take(rate: Rate, amount: number): Promise<RateResult> {
    if (this.#isDown) return this.#localRates.take(rate, amount);
    try {
      const use = await within(this.#use(rate, amount, Math.max(amount, 1)), longestWait);
      if (use) return rateResultOf(rate, { ...use, amount });
      this.#fail(`no response within ${longestWait}ms`);
    } catch (error) {
      this.#fail(reasonOf(error));
    }
    return this.#localRates.take(rate, amount);
  }

  charge(rate: Rate, amount: number): void {
    if (amount === 0) return;
    if (this.#isDown) this.#localRates.charge(rate, amount);
    else
      this.#use(rate, amount, 0).catch((error: unknown) => {
        this.#fail(reasonOf(error));
        this.#localRates.charge(rate, amount);
      });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#client.destroy();
  }

  async #use(rate: Rate, amount: number, needed: number): Promise<ScriptResult> {
    const times = [amount, needed].map((count) => String(Math.floor(timeFor(rate, count) * microseconds)));
    const options = { keys: [keyPrefix + rate.name], arguments: times };
    const reply: unknown = await this.#client.evalSha(rateScriptHash, options).catch((error: unknown) => {
      if (!reasonOf(error).startsWith('NOSCRIPT')) throw error;
      return this.#client.eval(rateScript, options);
    });
    const [before, granted] = reply as [string, number];
    return { fullIn: Number(before) / microseconds, isAllowed: granted === 1 };
  }

  #fail(reason: string): void {
    if (this.#isDown || this.#stop.signal.aborted) return;
    this.#isDown = true;
    this.#listener.onDown(reason);
    void this.#untilBack();
  }

  async #untilBack(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(probePause, undefined, { signal, ref: false }).catch(() => undefined);
      // It writes, so that a read-only server does not count as reachable.
      const use = this.#use({ name: 'probe', perMinute: 60_000 }, 1, 0);
      const result = await within(
        use.catch(() => undefined),
        longestWait,
      );
      if (result === undefined || signal.aborted) continue;
      this.#isDown = false;
      this.#listener.onBack();
      return;
    }
  }
}

/** The result of a promise; undefined if it takes longer. */
async function within<Result>(promise: Promise<Result>, milliseconds: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
