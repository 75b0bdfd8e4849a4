import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionOptions } from '../../http/connections.ts';
import type { Draining } from '../../http/draining.ts';
import type { KeyLimits } from '../../http/key-limits.ts';
import type { RestrictedApi } from '../../http/restricted-apis.ts';
import type { ClientBounds } from '../../http/slow-clients.ts';
import type { KeyBook } from '../../keys/key-book.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import type { Recorder } from '../../request-watch.ts';

/** What both KServe frontends are built from. */
export interface KserveOptions {
  readonly server: InferenceServer;
  /**
   * Whether clients may register shared memory. It makes sense only where the server runs on this machine: regions are
   * opened by their names there, not here.
   */
  readonly sharedMemory: boolean;
  /** What clients have to send as a Bearer token, for all but the health of the server. */
  readonly keys: KeyBook;
  readonly keyLimits: KeyLimits;
  /** The APIs that want a header of their own; left out: none. */
  readonly restrictedApis?: readonly RestrictedApi[];
  /** What connections may bring; left out: as much as usual, without TLS. */
  readonly connections?: ConnectionOptions | undefined;
  /** How long clients may take; left out: as long as they want. */
  readonly clients?: ClientBounds;
  /** The end of the process; left out: what runs is never ended. */
  readonly draining?: Draining;
  readonly logger: FastifyBaseLogger;
  /** Makes the record of each request; left out: none is made. */
  readonly record?: Recorder;
}
