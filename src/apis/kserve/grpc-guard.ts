import type { IncomingHttpHeaders } from 'node:http2';
import { type RestrictedGroup, restrictionCheck } from '../../http/restricted-apis.ts';
import type { KeyHolder } from '../../keys/key-holder.ts';
import { StatusError } from '../../kserve/status.ts';
import { servicePath } from './grpc-unary.ts';
import { kserveHolder } from './key-guard.ts';
import type { KserveOptions } from './options.ts';

const healthService = '/grpc.health.v1.Health/Check';

/** What is answered without the key. */
const openPaths = new Set([`${servicePath}ServerLive`, `${servicePath}ServerReady`, healthService]);

/** The APIs of the calls, as Triton parts them. Those without one cannot be restricted. */
const apis: ReadonlyMap<string, RestrictedGroup> = new Map<string, RestrictedGroup>([
  [healthService, 'health'],
  [`${servicePath}ServerLive`, 'health'],
  [`${servicePath}ServerReady`, 'health'],
  [`${servicePath}ModelReady`, 'health'],
  [`${servicePath}ModelInfer`, 'inference'],
  [`${servicePath}ModelStreamInfer`, 'inference'],
  [`${servicePath}RepositoryIndex`, 'model-repository'],
  [`${servicePath}RepositoryModelLoad`, 'model-repository'],
  [`${servicePath}RepositoryModelUnload`, 'model-repository'],
]);

/** What Triton's clients put in front of the name of such a header. */
const prefix = 'triton-grpc-protocol-';

/** What stands between the calls and their answers. */
export interface GrpcGuard {
  /** Who calls; undefined where that does not matter. Throws a StatusError that says what the call lacks. */
  holder(path: string, headers: IncomingHttpHeaders): Promise<KeyHolder | undefined>;
  /** Headers that are for this server alone, and none of the business of those behind it. */
  readonly ownHeaders: readonly string[];
}

/** Guards calls with the key and with the headers of restricted APIs. */
export function grpcGuard({ keys, restrictedApis = [] }: KserveOptions): GrpcGuard {
  const missingHeader = restrictionCheck(restrictedApis, prefix);
  return {
    holder: async (path, headers) => {
      const holder = openPaths.has(path) ? undefined : await kserveHolder(headers, keys);
      const missing = missingHeader(apis.get(path), headers);
      if (missing === undefined) return holder;
      throw new StatusError('UNAVAILABLE', `This protocol is restricted, expecting header '${missing}'`);
    },
    ownHeaders: restrictedApis.map(({ header }) => `${prefix}${header}`.toLowerCase()),
  };
}
