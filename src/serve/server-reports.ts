import type { ServerReport } from '../apis/conch/servers.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Balancer } from '../servers/balanced/balancer.ts';

/** What the registry has seen of the servers together with how they answered. */
export function serverReports(registry: ModelRegistry, balancer: Balancer): ServerReport[] {
  const { servers: known } = balancer.snapshot();
  return registry.servers().map(({ server, found, fault, hasAnswered }) => {
    const figures = known.find((each) => each.server === server) ?? unused;
    const models = found.map(({ name, state, ready }) => ({
      name,
      state: figures.failedEngines.has(ready?.target?.name ?? name) ? 'FAILED' : state || 'NOT LOADED',
      breaker: figures.models.get(ready?.target?.name ?? name) ?? 'closed',
    }));
    return { ...figures, name: server.name, kind: server.kind ?? 'triton', fault, isKnown: hasAnswered, models };
  });
}

const unused = {
  running: 0,
  requests: 0,
  failures: 0,
  retried: 0,
  failureRate: 0,
  connection: 'closed',
  ejectedFor: 0,
  weight: 1,
  firstResponse: undefined,
  lastFault: undefined,
  models: new Map<string, never>(),
  failedEngines: new Map<string, never>(),
} as const;
