import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import type { DrainState } from '../http/draining.ts';

interface DrainOptions extends Pick<CommandInput['settings'], 'drainDelay' | 'drainTimeout'> {
  readonly draining: DrainState;
  readonly logger: Logger;
  /** Stops listening; resolves when every connection is closed. */
  readonly close: () => Promise<unknown>;
}

/** Lets running requests finish, and ends them if that takes too long. Returns the exit code: 1 if it ended some. */
export async function drain({ draining, drainDelay, drainTimeout, logger, close }: DrainOptions): Promise<number> {
  if (drainDelay > 0) {
    logger.info(`stopping: no longer ready, new connections are accepted for ${drainDelay / 1000} s`);
    await pause(drainDelay);
  }
  logger.info('stopping: no new connections, running requests finish');
  const timer = drainTimeout === 0 ? undefined : setTimeout(() => draining.end(), drainTimeout);
  await Promise.all([close(), draining.settled()]);
  clearTimeout(timer);
  return draining.over.aborted ? 1 : 0;
}
