import type { InferenceServer } from '../../kserve/server.ts';
import type { ServerGroup } from '../../kserve/server-group.ts';

let turn = 0;

/** The servers of a model in turn. */
export function inTurns(servers: readonly InferenceServer[]): ServerGroup {
  return { servers, stream: (begin) => begin(servers[turn++ % servers.length] as InferenceServer) };
}
