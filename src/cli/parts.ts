import { readFileSync } from 'node:fs';
import type { CommandInput } from '../config/load.ts';
import { modelSettings } from '../config/model-settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { TritonAddress } from '../config/triton-address.ts';
import { ModelRegistry, type RegistryOptions } from '../models/registry.ts';
import { RemoteServer } from '../servers/remote/remote-server.ts';
import { type AssetListener, type ModelTerminal, modelDescriber } from './describe-model.ts';

type Settings = CommandInput['settings'];

/** Where models are looked for when nothing says where they are: Triton's own default. */
const localTriton: TritonAddress = { host: 'localhost', port: 8001, tls: false, dns: false };

/** The servers and the registry that the settings ask for. */
export function createRegistry(
  settings: Settings,
  terminal: ModelTerminal,
  { onNote, onFault, ...listeners }: Pick<RegistryOptions, 'onChange' | 'onServer'> & AssetListener,
): { registry: ModelRegistry; close: () => Promise<void> } {
  const addresses = settings.triton.length > 0 ? settings.triton : [localTriton];
  const servers = addresses.map((address) => remoteServer(address, settings));
  const aliases = Object.entries(settings.models).flatMap(([name, { serves }]) =>
    serves === undefined ? [] : [[name, serves] as const],
  );
  const registry = new ModelRegistry({
    servers,
    refreshInterval: settings.refreshInterval,
    forcedContract: (model) => modelSettings(settings, model).contract,
    aliases: new Map(aliases),
    describe: modelDescriber(settings, terminal, { onNote, onFault }),
    ...listeners,
  });
  const close = async (): Promise<void> => {
    await registry.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  return { registry, close };
}

function remoteServer({ host, port, tls, dns }: TritonAddress, settings: Settings): RemoteServer {
  if (dns)
    throw new SettingsError([
      `--triton dns:${host}:${port}: names with many addresses are not part of this version yet.`,
    ]);
  const { connectTimeout, keepaliveInterval, maxMessageSize, tritonHeader } = settings;
  return new RemoteServer({
    host,
    port,
    connectTimeout,
    keepaliveInterval,
    maxMessageSize,
    metadata: tritonHeader,
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
