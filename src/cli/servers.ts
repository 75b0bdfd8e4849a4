import { readFileSync } from 'node:fs';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { TritonAddress } from '../config/triton-address.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { shellText, type TritonCommand, tritonCommand } from '../servers/managed/command-line.ts';
import { findTritonserver, noTriton } from '../servers/managed/find-tritonserver.ts';
import type { LogLevel } from '../servers/managed/log-line.ts';
import { ManagedServer } from '../servers/managed/managed-server.ts';
import { RemoteServer } from '../servers/remote/remote-server.ts';
import type { Terminal } from './command.ts';

type Settings = CommandInput['settings'];

/** Who hears of the servers' lives. */
export interface ServerListener {
  readonly onLog: (level: LogLevel, text: string) => void;
}

/** Where models are looked for when nothing says where they are: Triton's own default. */
const localTriton: TritonAddress = { host: 'localhost', port: 8001, tls: false, dns: false };

/** What a tritonserver that Conch starts listens on in a dry run, where no port is taken. */
const examplePorts = { http: 8000, grpc: 8001, metrics: 8002 };

/** The servers that the settings ask for; those that run on this machine are started. */
export async function openServers(
  { settings, rest }: Pick<CommandInput, 'settings' | 'rest'>,
  terminal: Pick<Terminal, 'environment'>,
  listener: ServerListener,
): Promise<InferenceServer[]> {
  if (settings.modelRepository.length > 0) return [await managedServer({ settings, rest }, terminal, listener)];
  const addresses = settings.triton.length > 0 ? settings.triton : [localTriton];
  return addresses.map((address) => remoteServer(address, settings));
}

/** The command that would start tritonserver, as one would type it. */
export async function dryRun(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  terminal: Pick<Terminal, 'environment'>,
): Promise<string> {
  return shellText(tritonCommand(await commandOf(input, terminal), examplePorts));
}

async function managedServer(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  terminal: Pick<Terminal, 'environment'>,
  { onLog }: ServerListener,
): Promise<ManagedServer> {
  const server = new ManagedServer({
    command: await commandOf(input, terminal),
    environment: terminal.environment,
    channel: channelOptions(input.settings),
    onLog,
    onDown: (reason, restartsIn) =>
      onLog('error', `tritonserver is down: ${reason}. It is started again in ${restartsIn / 1000} s.`),
  });
  await server.start();
  return server;
}

async function commandOf(
  { settings, rest }: Pick<CommandInput, 'settings' | 'rest'>,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<TritonCommand> {
  const found = await findTritonserver({
    given: settings.tritonserver,
    path: environment['PATH'] ?? '',
    cacheDirectory: settings.cacheDir,
  });
  if (!found) throw new SettingsError([noTriton]);
  return {
    program: found.program,
    repositories: settings.modelRepository,
    modelControlMode: settings.modelControlMode,
    loadModels: settings.loadModel,
    logVerboseLevel: settings.tritonserverLogVerboseLevel,
    backendDirectory: found.backendDirectory,
    worldSize: settings.worldSize,
    rankModels: ['tensorrt_llm'],
    extra: rest,
  };
}

function remoteServer({ host, port, tls, dns }: TritonAddress, settings: Settings): RemoteServer {
  if (dns)
    throw new SettingsError([
      `--triton dns:${host}:${port}: names with many addresses are not part of this version yet.`,
    ]);
  return new RemoteServer({
    host,
    port,
    ...channelOptions(settings),
    ...(tls ? { secure: secureOptions(settings) } : {}),
  });
}

function channelOptions({ connectTimeout, keepaliveInterval, maxMessageSize, tritonHeader }: Settings) {
  return { connectTimeout, keepaliveInterval, maxMessageSize, metadata: tritonHeader };
}

function secureOptions({ tritonCa, tritonCert, tritonKey, tritonServerName }: Settings) {
  return {
    ...(tritonCa === undefined ? {} : { ca: readFileSync(tritonCa) }),
    ...(tritonCert === undefined ? {} : { cert: readFileSync(tritonCert) }),
    ...(tritonKey === undefined ? {} : { key: readFileSync(tritonKey) }),
    ...(tritonServerName === undefined ? {} : { servername: tritonServerName }),
  };
}
