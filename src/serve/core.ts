import { join } from 'node:path';
import type { CommandInput } from '../config/load.ts';
import { modelSettings } from '../config/model-settings.ts';
import { rowSettings } from '../models/abilities.ts';
import type { AdapterRegistry } from '../models/adapters.ts';
import { ModelRegistry } from '../models/registry.ts';
import type { RegistryOptions } from '../models/registry-options.ts';
import { hubCaches } from '../prompt/hub-request.ts';
import { Balancer } from '../servers/balanced/balancer.ts';
import { checkModelSettings } from './check-model-settings.ts';
import { type AssetListener, modelDescriber } from './describe-model.ts';
import { LiveSettings } from './live-settings.ts';
import { adapterFinder, openAdapterRegistry } from './model-adapters.ts';
import { openServers, type ServerListener, type ServerSet } from './servers.ts';
import type { Terminal } from './terminal.ts';

/** The parts of a running Conch below its HTTP side. */
interface ServingCore {
  readonly servers: ServerSet;
  readonly balancer: Balancer;
  readonly registry: ModelRegistry;
  readonly adapterRegistry: AdapterRegistry;
  readonly close: () => Promise<void>;
}

/** Receives the events of models, servers and tokenizers. */
export type CoreListener = Pick<RegistryOptions, 'onChange' | 'onServer'> & AssetListener & ServerListener;

/** Opens the servers and the registry of the settings. */
export async function openCore(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  terminal: Terminal,
  listener: CoreListener,
  live: LiveSettings = new LiveSettings(input.settings),
): Promise<ServingCore> {
  checkModelSettings(input.settings);
  const adapterRegistry = await openAdapterRegistry(input.settings);
  const balancer = new Balancer(() => live.current);
  let follow = async (): Promise<void> => undefined;
  const servers = await openServers(input, {
    terminal,
    listener,
    dnsInterval: () => live.current.dnsInterval,
    modelNames: () => live.modelNames,
    onChange: (removed) => {
      const followed = follow();
      for (const server of removed) void followed.then(() => balancer.untilIdle(server)).then(() => server.close());
    },
  });
  const registry = new ModelRegistry({
    ...listener,
    servers: servers.current,
    groupOf: (model, holders) => balancer.groupOf(model, holders),
    onLook: (server, error) => balancer.reportHealth(server, error),
    engineFailure: (server, model) => balancer.engines.failureOf({ server, model }),
    get engineOutlook() {
      return live.current.engineRecovery === 'auto'
        ? 'Conch reloads it if its server allows that. Try again later.'
        : 'It must be reloaded on its server.';
    },
    loadsOnDemand: input.settings.loadOnDemand,
    get refreshInterval() {
      return live.current.refreshInterval;
    },
    get loraSeparator() {
      return live.current.loraSeparator;
    },
    get aliases() {
      return live.aliases;
    },
    get expectedModels() {
      return live.current.tritonModel;
    },
    hints: modelHints(live, terminal),
    describe: modelDescriber(live, terminal, listener, (found, own) =>
      adapterFinder(live.current, adapterRegistry)(found, own),
    ),
    basisOf: (name) => live.basisOf(name),
  });
  follow = () => registry.follow(servers.current);
  const close = async (): Promise<void> => {
    await registry.close();
    await servers.close();
  };
  return { servers, balancer, registry, adapterRegistry, close };
}

/** What the settings say about a model before its contract is detected. */
function modelHints(live: LiveSettings, { environment }: Terminal): RegistryOptions['hints'] {
  return (model) => {
    const own = modelSettings(live.current, model);
    const { contract, tokenizer, engineDir, cancelWith } = own;
    const stopsByRequest = cancelWith === 'stop-input';
    const caches = hubCaches(join(live.current.cacheDir, 'hub'), environment);
    return { contract, tokenizer, engineDir, stopsByRequest, rows: rowSettings(own), hubCaches: caches };
  };
}
