import type { Logger } from 'pino';
import { SettingsError } from '../config/settings-error.ts';
import { LocalRates } from '../limits/local-rates.ts';
import type { Rates } from '../limits/rates.ts';

/** Where the rates of keys are counted: in this process, or in a shared Redis. */
export async function openRates(redis: string | undefined, logger: Logger): Promise<Rates> {
  if (redis === undefined) return new LocalRates();
  const { host } = new URL(redis);
  // The client takes longer to load than the rest of Conch, so it is loaded only if it is used.
  const { RedisRates, RedisRefusal } = await import('../limits/redis-rates.ts');
  const opening = RedisRates.open(redis, {
    onDown: (reason) =>
      logger.warn(`Redis at ${host} is unreachable (${reason}): key limits apply only to this process`),
    onBack: () => logger.info(`Redis at ${host} is reachable again: key limits are shared`),
  });
  return opening.catch((error: unknown) => {
    if (!(error instanceof RedisRefusal)) throw error;
    throw new SettingsError([`--redis: ${host} rejected the user or password (${error.message}).`]);
  });
}
