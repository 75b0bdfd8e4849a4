import type { CommandInput } from '../config/load.ts';
import { modelSettings } from '../config/model-settings.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { ModelRegistry, type RegistryOptions } from '../models/registry.ts';
import { checkModelSettings } from './check-model-settings.ts';
import type { Terminal } from './command.ts';
import { type AssetListener, modelDescriber } from './describe-model.ts';
import { openServers, type ServerListener } from './servers.ts';

/** The parts of a running Conch below its HTTP side. */
interface Parts {
  readonly servers: readonly [InferenceServer, ...InferenceServer[]];
  readonly registry: ModelRegistry;
  readonly close: () => Promise<void>;
}

type Listener = Pick<RegistryOptions, 'onChange' | 'onServer'> & AssetListener & ServerListener;

/** The servers and the registry that the settings ask for. */
export async function openParts(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  terminal: Terminal,
  listener: Listener,
): Promise<Parts> {
  const { settings } = input;
  checkModelSettings(settings);
  const servers = await openServers(input, { terminal, listener });
  const aliases = Object.entries(settings.models).flatMap(([name, { serves }]) =>
    serves === undefined ? [] : [[name, serves] as const],
  );
  const registry = new ModelRegistry({
    servers,
    refreshInterval: settings.refreshInterval,
    loraSeparator: settings.loraSeparator,
    loadsOnDemand: settings.loadOnDemand,
    hints: (model) => {
      const { contract, tokenizer, engineDir, cancelWith } = modelSettings(settings, model);
      return { contract, tokenizer, engineDir, stopsByRequest: cancelWith === 'stop-input' };
    },
    aliases: new Map(aliases),
    describe: modelDescriber(settings, terminal, listener),
    ...listener,
  });
  const close = async (): Promise<void> => {
    await registry.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  return { servers, registry, close };
}
