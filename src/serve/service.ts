import type { FastifyInstance } from 'fastify';
import type { CommandInput } from '../config/load.ts';
import type { OtelReading } from '../config/otel-variables.ts';
import { createApp } from '../http/app.ts';
import { Draining } from '../http/draining.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { LoneLink } from '../link.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { openResponses } from '../responses/responses.ts';
import { type Services, servedApis } from './apis.ts';
import { type Disposables, withDisposables } from './disposables.ts';
import { EngineCare } from './engine-care.ts';
import { exampleShower } from './example.ts';
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
import { openParts, type PartsListener } from './parts.ts';
import { responseStore } from './response-store.ts';
import { startTelemetry } from './telemetry.ts';
import type { Terminal } from './terminal.ts';
import { tlsFiles } from './tls-files.ts';

interface ServiceOptions {
  readonly terminal: Terminal;
  readonly live: LiveSettings;
  readonly loggers: Loggers;
  readonly traces: OtelReading;
}

/** All that answers requests, put together and not listening yet. */
export interface Service {
  readonly app: FastifyInstance;
  readonly registry: ModelRegistry;
  readonly draining: Draining;
  /** Looks after failed engines. */
  readonly care: EngineCare;
  /** Listens for KServe's clients; gives what stops that. */
  readonly startKserve: () => Promise<() => Promise<void>>;
  /** Lets go of servers, stores and collectors, once nobody asks any more. */
  readonly close: () => Promise<void>;
}

/** Puts the parts of one process together as the settings ask for it. */
export function openService(input: Pick<CommandInput, 'settings' | 'rest'>, options: ServiceOptions): Promise<Service> {
  return withDisposables((disposables) => putTogether(input, options, disposables));
}

async function putTogether(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  { terminal, live, loggers, traces }: ServiceOptions,
  disposables: Disposables,
): Promise<Service> {
  const { settings } = input;
  const { worker } = terminal;
  const { logger, leaderLogger, isQuiet } = loggers;
  const connections = connectionSettings(settings, tlsFiles(settings, { logger: leaderLogger, stop: terminal.stop }));
  const showExample = exampleShower(settings, terminal, leaderLogger);
  const warnOfFailedLoads = failedLoads((line) => leaderLogger.warn(line));
  const listener: PartsListener = {
    onChange: (rows) => {
      warnOfFailedLoads(rows);
      if (isQuiet) return;
      if (settings.logFormat === 'json') logger.info({ models: rows }, 'models');
      else terminal.out(modelTable(rows));
      void showExample(registry.list(), origin);
    },
    onServer: (server, fault) => {
      if (fault === undefined) leaderLogger.info(`${server} answers`);
      else leaderLogger.warn(`${server} does not answer yet: ${fault.message}; trying again`);
    },
    onNote: (note) => leaderLogger.info(note),
    onLog: (level, text) => leaderLogger[level](text),
    onFault: (model, fault) => logger.error(`the tokenizer of ${model} could not be loaded: ${fault.message}`),
  };
  const draining = new Draining(terminal.stop);
  const keys = await openKeys(live, { signal: terminal.stop, logger });
  const store = disposables.add(await responseStore(settings, logger));
  const rates = disposables.add(worker?.rates ?? (await openRates(settings.redis, logger)));
  const gates = worker?.gates ?? new LocalGates();
  const access = { keys, keyLimits: { rates, gates }, restrictedApis: settings.openaiRestrictedApi };
  const parts = disposables.add(await openParts(input, terminal, listener, live));
  const { servers, balancer, registry, adapterBook } = parts;
  const link = worker?.link ?? new LoneLink();
  const { engines } = balancer;
  const { admission, ...life } = modelLife(registry, { live, gates, link, engines });
  const isLeader = worker?.isLeader ?? true;
  const { control } = life;
  const care = disposables.add(new EngineCare({ engines, registry, control, link, live, logger, isLeader }));
  const telemetry = disposables.add(
    await startTelemetry({ settings, traces, terminal, logger: leaderLogger, servers, balancer, registry }),
  );
  const { record } = telemetry;
  const guides = openGuideGuard({ live, link, logger, telemetry });
  // Also where a probe finds it: the client whose guide ended the engine may have disconnected.
  engines.listen({ onFailed: ({ server, model }) => guides.engineFailed(server, model) });
  const perSettings = cached(
    () => live.current,
    (current) => ({
      limits: requestLimits(current),
      jsonBounds: jsonBounds(current),
      generate: generateContext(current, registry, guides),
      rows: rowsContext(current, registry),
    }),
  );
  const services: Services = {
    responses: openResponses({ store, link, shutdown: draining }),
    models: registry,
    ...mergedViews(link, { reports: () => serverReports(registry, balancer), metrics: telemetry.metrics }),
    ...life,
    adapterBook,
    loraRoot: settings.loraRoot,
    ...access,
    maxInputSize: settings.httpMaxInputSize,
    version: terminal.version,
    connections,
    clients: settings,
    draining,
    allowedOrigins: settings.allowedOrigins,
    record,
    // Read anew for each request, which keeps what it began with.
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
    logger,
  };
  const app = createApp(services, servedApis(await ownPage(settings, leaderLogger)));
  const origin = new Promise<string>((resolve) => {
    app.addHook('onListen', async () => resolve(app.listeningOrigin));
  });
  return {
    app,
    registry,
    draining,
    care,
    startKserve: async () => {
      const { startKserve } = await import('./kserve.ts');
      return startKserve(
        { ...settings, ...worker?.ports },
        { servers, balancer, admission, draining, ...access, logger, record, connections, isQuiet },
      );
    },
    close: () => disposables.close(),
  };
}

/** What is made of a value, made anew only when that value is another one. */
function cached<Key, Value>(keyOf: () => Key, make: (key: Key) => Value): () => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return () => {
    const key = keyOf();
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
