import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionOptions } from '../../http/connections.ts';
import type { DrainState } from '../../http/draining.ts';
import type { KeyLimits } from '../../http/key-limits.ts';
import type { RestrictedApi } from '../../http/restricted-apis.ts';
import type { ClientBounds } from '../../http/slow-clients.ts';
import type { KeyRegistry } from '../../keys/key-registry.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { Recorder } from '../../request-watch.ts';

/** What both KServe frontends are built from. */
export interface KserveOptions {
  readonly server: InferenceServer;
  /**
   * Whether clients may register shared memory. It works only if the Triton server runs on this machine: that server
   * opens the regions by name, not Conch.
   */
  readonly sharedMemory: boolean;
  /** The API keys that clients need for everything but server health. */
  readonly keys: KeyRegistry;
  readonly keyLimits: KeyLimits;
  /** The APIs that need an extra header; left out: none. */
  readonly restrictedApis?: readonly RestrictedApi[];
  /** Limits and TLS of connections; left out: the defaults, without TLS. */
  readonly connections?: ConnectionOptions | undefined;
  /** Timeouts of slow clients; left out: none. */
  readonly clients?: ClientBounds;
  /** The shutdown of the process; left out: requests are never cancelled. */
  readonly draining?: DrainState;
  readonly logger: FastifyBaseLogger;
  /** Makes the record of each request; left out: none is made. */
  readonly record?: Recorder;
}
