import type { FastifyBaseLogger } from 'fastify';
import type { InferenceServer } from '../../kserve/server.ts';

/** What both KServe frontends are built from. */
export interface KserveOptions {
  readonly server: InferenceServer;
  /**
   * Whether clients may register shared memory. It makes sense only where the server runs on this machine: regions are
   * opened by their names there, not here.
   */
  readonly sharedMemory: boolean;
  readonly logger: FastifyBaseLogger;
}
