import { readFileSync } from 'node:fs';
import type { CommandInput } from '../config/load.ts';
import { formatAddress, type TritonAddress } from '../config/triton-address.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { LogLevel } from '../servers/managed/log-line.ts';
import { RemoteServer } from '../servers/remote/remote-server.ts';
import { nameResolver, ResolvedServers } from '../servers/resolved/resolved-servers.ts';
import { channelOptions } from './part-settings.ts';
import type { Terminal } from './terminal.ts';

type Settings = CommandInput['settings'];
/** The part of the command line that servers depend on. */
export type ServerInput = Pick<CommandInput, 'settings' | 'rest'>;

/** Receives the log lines of servers. */
export interface ServerListener {
  readonly onLog: (level: LogLevel, text: string) => void;
}

/** What opening servers needs besides the command line. */
export interface ServerContext {
  readonly terminal: Terminal;
  readonly listener: ServerListener;
}

/** What a changing set of servers needs in addition. */
interface ServerSetContext extends ServerContext {
  readonly dnsInterval: () => number;
  /** The models that a server without a model index may have. */
  readonly modelNames: () => readonly string[];
  readonly onChange: (removed: readonly InferenceServer[]) => void;
}

/** Starts the servers of the settings, or the default model in this process if there are none. */
export async function openServers(input: ServerInput, context: ServerSetContext): Promise<ServerSet> {
  const { settings } = input;
  const named = settings.triton.filter(({ dns }) => dns);
  const servers: InferenceServer[] = settings.triton
    .filter(({ dns }) => !dns)
    .map((address) => remoteServer(address, settings, context));
  const resolved = named.map((address) => resolvedServers(address, settings, context));
  try {
    const servesOthers = servers.length + resolved.length > 0;
    // Most of this code is only for managed and embedded servers, so it is not loaded for remote ones.
    if (!servesOthers || settings.modelRepository.length > 0 || settings.model.length > 0) {
      const { openOwn } = await import('./own-servers.ts');
      servers.push(...(await openOwn(input, { ...context, servesOthers })));
    }
    await Promise.all(resolved.map((each) => each.start()));
    return new ServerSet(servers, resolved);
  } catch (error) {
    await new ServerSet(servers, resolved).close();
    throw error;
  }
}

function resolvedServers(address: TritonAddress, settings: Settings, context: ServerSetContext): ResolvedServers {
  const { listener, dnsInterval, onChange } = context;
  const { onLog } = listener;
  const { host: name } = address;
  const written = formatAddress(address);
  return new ResolvedServers({
    name,
    resolve: nameResolver(settings.dnsServer),
    interval: dnsInterval,
    // Certificates are issued for the name, not for its addresses.
    open: (host) => {
      const named = { ...settings, tritonServerName: settings.tritonServerName ?? name };
      return remoteServer({ ...address, host }, named, context);
    },
    onChange,
    onError: (error) => {
      if (error) onLog('warn', `${written} cannot be resolved: ${error.message}; its last addresses stay in use`);
      else onLog('info', `${written} is resolved again`);
    },
  });
}

function remoteServer(
  { host, port, tls }: TritonAddress,
  settings: Settings,
  { modelNames }: Pick<ServerSetContext, 'modelNames'>,
): RemoteServer {
  return new RemoteServer({
    host,
    port,
    modelNames,
    ...channelOptions(settings),
    ...(tls ? { secure: secureOptions(settings) } : {}),
  });
}

function secureOptions({ tritonCa, tritonCert, tritonKey, tritonServerName }: Settings) {
  return {
    ...(tritonCa === undefined ? {} : { ca: readFileSync(tritonCa) }),
    ...(tritonCert === undefined ? {} : { cert: readFileSync(tritonCert) }),
    ...(tritonKey === undefined ? {} : { key: readFileSync(tritonKey) }),
    ...(tritonServerName === undefined ? {} : { servername: tritonServerName }),
  };
}

/** The servers of the settings: fixed ones, and those of DNS names while a name resolves to them. */
export class ServerSet {
  readonly #fixed: readonly InferenceServer[];
  readonly #resolved: readonly ResolvedServers[];

  constructor(fixed: readonly InferenceServer[], resolved: readonly ResolvedServers[]) {
    this.#fixed = fixed;
    this.#resolved = resolved;
  }

  get current(): readonly InferenceServer[] {
    return [...this.#fixed, ...this.#resolved.flatMap(({ current }) => current)];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#fixed, ...this.#resolved].map((part) => part.close()));
  }
}
