import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import type { OtelConfiguration } from '../config/otel-variables.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { tokenUse } from '../prompt/token-use.ts';
import type { Balancer } from '../servers/balanced/balancer.ts';
import { MovingServer } from '../servers/managed/moving-server.ts';
import { RemoteServer } from '../servers/remote/remote-server.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import type { TritonTarget } from '../telemetry/metrics/triton-metrics.ts';
import { createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { ServerSet } from './servers.ts';
import type { Terminal } from './terminal.ts';
import { startTracing } from './tracing.ts';

interface TelemetryOptions {
  readonly settings: Pick<CommandInput['settings'], 'tritonMetricsPort'>;
  readonly traces: OtelConfiguration;
  readonly terminal: Pick<Terminal, 'version'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly servers: ServerSet;
  readonly balancer: Balancer;
  readonly registry: Pick<ModelRegistry, 'list' | 'rootOf'>;
}

/** Starts metrics, and traces if they are configured. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry & { close(): Promise<void> }> {
  const { settings, traces, terminal, logger, servers, balancer, registry } = options;
  const metrics = new Metrics();
  const { version } = terminal;
  for (const name of traces.ignored) logger.warn(`Conch ignores the environment variable ${name}.`);
  const tracing = await startTracing(traces.options, { metrics, version, warn: (text) => logger.warn(text) });
  const telemetry = createTelemetry({
    metrics,
    version,
    tracing,
    servers: () => balancer.snapshot().servers.map(({ server, ...state }) => ({ name: server.name, ...state })),
    tritons: () => tritonTargets(servers.current, settings.tritonMetricsPort),
    tokens: () => tokenUse,
    // A model with an adapter counts as the model.
    servedAs: (name) => registry.list().find((model) => model.name === name)?.name ?? registry.rootOf(name),
  });
  return { ...telemetry, close: async () => tracing?.close() };
}

/** The metrics addresses of the servers: a managed one has its own port, the others the configured port. */
function tritonTargets(servers: readonly InferenceServer[], port: number): TritonTarget[] {
  return servers.flatMap((server) => {
    if (server instanceof MovingServer)
      return server.metricsPort === undefined ? [] : [targetOf(server, '127.0.0.1', server.metricsPort)];
    return server instanceof RemoteServer && port > 0 ? [targetOf(server, server.host, port)] : [];
  });
}

function targetOf({ name: server }: InferenceServer, host: string, port: number): TritonTarget {
  return { server, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics` };
}
