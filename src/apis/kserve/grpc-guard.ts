import type { IncomingHttpHeaders } from 'node:http2';
import { type RestrictedGroup, restrictionCheck } from '../../http/restricted-apis.ts';
import type { KeyHolder } from '../../keys/key-holder.ts';
import { StatusError } from '../../kserve/status.ts';
import { servicePath } from './grpc-unary.ts';
import { kserveHolder } from './key-guard.ts';
import type { KserveOptions } from './options.ts';

const healthService = '/grpc.health.v1.Health/Check';

/** Paths that need no key. */
const openPaths = new Set([`${servicePath}ServerLive`, `${servicePath}ServerReady`, healthService]);

/** The API group of each call, as in Triton. Calls without a group cannot be restricted. */
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

/** Triton's clients prefix the header of a restricted API with this. */
const prefix = 'triton-grpc-protocol-';

/** Checks a call before it is handled. */
export interface GrpcGuard {
  /** The holder of the call's key; undefined if none is needed. Throws a StatusError if a key or header is missing. */
  holder(path: string, headers: IncomingHttpHeaders): Promise<KeyHolder | undefined>;
  /** Headers that are not forwarded to the upstream server. */
  readonly ownHeaders: readonly string[];
}

/** Checks the key of a call and the headers of restricted APIs. */
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
