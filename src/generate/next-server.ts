import type { InferenceServer } from '../kserve/server.ts';
import type { NamedModel } from '../models/served-model.ts';

let turn = 0;

/** The servers of a model in turn. */
export function nextServer({ servers }: Pick<NamedModel, 'servers'>): InferenceServer {
  return servers[turn++ % servers.length] as InferenceServer;
}
