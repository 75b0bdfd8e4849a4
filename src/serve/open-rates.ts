import type { Logger } from 'pino';
import { SettingsError } from '../config/settings-error.ts';
import { LocalRates } from '../limits/local-rates.ts';
import type { Rates } from '../limits/rates.ts';

/** Where the rates of keys are counted: in this process, or in the Redis that others share. */
export async function openRates(redis: string | undefined, logger: Logger): Promise<Rates> {
  if (redis === undefined) return new LocalRates();
  const { host } = new URL(redis);
  // Its client takes longer to load than all the rest of Conch: only those who use it wait for it.
  const { RedisRates, RedisRefusal } = await import('../limits/redis-rates.ts');
  const opening = RedisRates.open(redis, {
    onDown: (reason) =>
      logger.warn(`Redis at ${host} does not answer (${reason}): the limits of keys hold for this process alone`),
    onBack: () => logger.info(`Redis at ${host} answers again: the limits of keys are shared`),
  });
  return opening.catch((error: unknown) => {
    if (!(error instanceof RedisRefusal)) throw error;
    throw new SettingsError([`--redis: ${host} refuses the user or password (${error.message}).`]);
  });
}
