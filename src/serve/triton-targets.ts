import type { InferenceServer } from '../kserve/server.ts';
import { MovingServer } from '../servers/managed/moving-server.ts';
import { RemoteServer } from '../servers/remote/remote-server.ts';
import type { TritonTarget } from '../telemetry/metrics/triton-metrics.ts';

/** Where the servers tell their own metrics: one that Conch started on its own port, others on the port that is set. */
export function tritonTargets(servers: readonly InferenceServer[], port: number): TritonTarget[] {
  return servers.flatMap((server) => {
    if (server instanceof MovingServer)
      return server.metricsPort === undefined ? [] : [targetOf(server, '127.0.0.1', server.metricsPort)];
    return server instanceof RemoteServer && port > 0 ? [targetOf(server, server.host, port)] : [];
  });
}

function targetOf({ name: server }: InferenceServer, host: string, port: number): TritonTarget {
  return { server, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics` };
}
