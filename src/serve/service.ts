import type { FastifyInstance } from 'fastify';
import type { CommandInput } from '../config/load.ts';
import type { OtelConfiguration } from '../config/otel-variables.ts';
import { Coalescer } from '../generate/coalescer.ts';
import type { GuideGuard } from '../generate/guide-guard.ts';
import { createApp } from '../http/app.ts';
import { DrainState } from '../http/draining.ts';
import { StatusError } from '../kserve/status.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { SingleProcessLink } from '../link.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { openResponses } from '../responses/responses.ts';
import { type Services, servedApis } from './apis.ts';
import { type CoreListener, openCore } from './core.ts';
import { type Disposables, withDisposables } from './disposables.ts';
import { EngineCare } from './engine-care.ts';
import { examplePrinter } from './example.ts';
import { generateContext, rowsContext } from './generate-context.ts';
import { openGuideGuard } from './guide-guard.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Loggers } from './logger.ts';
import { mergedViews, serverReports } from './merged-metrics.ts';
import { modelLife } from './model-life.ts';
import { failedLoads, modelTable } from './model-table.ts';
import { openKeys } from './open-keys.ts';
import { openRates } from './open-rates.ts';
import { ownPage } from './own-page.ts';
import { connectionSettings, jsonBounds, requestLimits } from './part-settings.ts';
import { responseStore } from './response-store.ts';
import { startTelemetry } from './telemetry.ts';
import type { Terminal } from './terminal.ts';
import { tlsFiles } from './tls-files.ts';

interface ServiceOptions {
  readonly terminal: Terminal;
  readonly live: LiveSettings;
  readonly loggers: Loggers;
  readonly traces: OtelConfiguration;
}

/** Everything that serves requests, assembled and not listening yet. */
export interface Service {
  readonly app: FastifyInstance;
  readonly registry: ModelRegistry;
  readonly draining: DrainState;
  /** Recovers failed engines. */
  readonly care: EngineCare;
  /** Starts the KServe frontends. Returns the function that stops them. */
  readonly startKserve: () => Promise<() => Promise<void>>;
  /** Releases servers, stores and collectors, after the last request. */
  readonly close: () => Promise<void>;
}

/** Assembles the parts of one process from the settings. */
export function openService(input: Pick<CommandInput, 'settings' | 'rest'>, options: ServiceOptions): Promise<Service> {
  return withDisposables((disposables) => assembleService(input, options, disposables));
}

async function assembleService(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  { terminal, live, loggers, traces }: ServiceOptions,
  disposables: Disposables,
): Promise<Service> {
  const { settings } = input;
  const { worker } = terminal;
  const { logger, leaderLogger, isQuiet } = loggers;
  const connections = connectionSettings(settings, tlsFiles(settings, { logger: leaderLogger, stop: terminal.stop }));
  const showExample = examplePrinter(settings, terminal, leaderLogger);
  const listener = coreListener(settings, terminal, loggers, () => void showExample(registry.list(), origin));
  const draining = new DrainState(terminal.stop);
  const store = disposables.add(await responseStore(settings, logger));
  const { gates, ...access } = await openAccess(live, { terminal, logger, disposables });
  const core = disposables.add(await openCore(input, terminal, listener, live));
  const { servers, balancer, registry, adapterRegistry } = core;
  const link = worker?.link ?? new SingleProcessLink();
  const { engines } = balancer;
  const { admission, ...life } = modelLife(registry, { live, gates, link, engines });
  const processContext = { link, isLeader: worker?.isLeader ?? true };
  const care = disposables.add(
    new EngineCare({ engines, registry, control: life.control, ...processContext, live, logger }),
  );
  const telemetry = disposables.add(
    await startTelemetry({ settings, traces, terminal, logger: leaderLogger, servers, balancer, registry }),
  );
  const guides = openGuideGuard({ live, link, logger, telemetry });
  // Also if a probe finds it: the client whose guide crashed the engine may have disconnected.
  engines.listen({ onFailed: ({ server, model }) => guides.engineFailed(server, model) });
  const reports = () => serverReports(registry, balancer);
  const fixed = {
    ...fromSettings(settings),
    ...access,
    ...life,
    ...mergedViews(link, { reports, metrics: telemetry.metrics }),
    responses: openResponses({ store, link, shutdown: draining }),
    models: registry,
    adapterRegistry,
    version: terminal.version,
    connections,
    draining,
    record: telemetry.record,
    logger,
  };
  const services = followingSettings(fixed, { live, registry, guides });
  const app = createApp(services, servedApis(await ownPage(settings, leaderLogger)));
  const origin = originOf(app);
  return {
    app,
    registry,
    draining,
    care,
    startKserve: async () => {
      const { startKserve } = await import('./kserve.ts');
      const ports = { ...settings, ...worker?.ports };
      return startKserve(ports, { ...fixed, servers, balancer, admission, isQuiet });
    },
    close: () => disposables.close(),
  };
}

/** The address of the app, once it listens. */
function originOf(app: FastifyInstance): Promise<string> {
  return new Promise((resolve) => {
    app.addHook('onListen', async () => resolve(app.listeningOrigin));
  });
}

/** Access control: API keys, their limits, restricted APIs. */
async function openAccess(
  live: LiveSettings,
  {
    terminal,
    logger,
    disposables,
  }: Pick<ServiceOptions, 'terminal'> & Pick<Loggers, 'logger'> & { readonly disposables: Disposables },
) {
  const { redis, openaiRestrictedApi: restrictedApis } = live.current;
  const { worker, stop: signal } = terminal;
  const keys = await openKeys(live, { signal, logger });
  const rates = disposables.add(worker?.rates ?? (await openRates(redis, logger)));
  const gates = worker?.gates ?? new LocalGates();
  return { gates, keys, keyLimits: { rates, gates }, restrictedApis };
}

/** Logs what happens to models and servers, and prints the models on the terminal. */
function coreListener(
  { logFormat }: CommandInput['settings'],
  terminal: Terminal,
  { logger, leaderLogger, isQuiet }: Loggers,
  onPrinted: () => void,
): CoreListener {
  const warnOfFailedLoads = failedLoads((line) => leaderLogger.warn(line));
  return {
    onChange: (rows) => {
      warnOfFailedLoads(rows);
      if (isQuiet) return;
      if (logFormat === 'json') logger.info({ models: rows }, 'models');
      else terminal.out(modelTable(rows));
      onPrinted();
    },
    onServer: (server, error) => {
      if (error === undefined) leaderLogger.info(`${server} is reachable`);
      else if (error instanceof StatusError && error.code === 'UNIMPLEMENTED')
        leaderLogger.warn(`the models of ${server} are unknown: ${error.message}`);
      else leaderLogger.warn(`${server} is unreachable, retrying: ${error.message}`);
    },
    onNote: (note) => leaderLogger.info(note),
    onLog: (level, text) => leaderLogger[level](text),
    onError: (model, error) => logger.error(`the tokenizer of ${model} could not be loaded: ${error.message}`),
  };
}

/** The services that are settings without live changes. */
function fromSettings(settings: CommandInput['settings']) {
  const { loraRoot, httpMaxInputSize: maxInputSize, allowedOrigins } = settings;
  return { loraRoot, maxInputSize, allowedOrigins, clients: settings };
}

type FollowedServices = 'strictFields' | 'logPrompts' | 'limits' | 'jsonBounds' | 'generate' | 'rows';

/** Adds the services that follow live settings. They are read for each request, which keeps its values. */
function followingSettings(
  fixed: Omit<Services, FollowedServices>,
  { live, registry, guides }: { live: LiveSettings; registry: ModelRegistry; guides: GuideGuard },
): Services {
  const coalescing = new Coalescer(() => live.current.coalesce);
  const perSettings = cached(
    () => live.current,
    (current) => ({
      limits: requestLimits(current),
      jsonBounds: jsonBounds(current),
      generate: generateContext(current, registry, { guides, coalescing }),
      rows: rowsContext(current, registry),
    }),
  );
  return {
    ...fixed,
    get strictFields() {
      return live.current.strictFields;
    },
    get logPrompts() {
      return live.current.logPrompts;
    },
    get limits() {
      return perSettings().limits;
    },
    get jsonBounds() {
      return perSettings().jsonBounds;
    },
    get generate() {
      return perSettings().generate;
    },
    get rows() {
      return perSettings().rows;
    },
  };
}

/** Caches what is made from a value until the value changes. */
function cached<Key, Value>(keyOf: () => Key, make: (key: Key) => Value): () => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return () => {
    const key = keyOf();
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
