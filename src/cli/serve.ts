import { once } from 'node:events';
import type { Logger } from 'pino';
import { checkFiles } from '../config/check-files.ts';
import { defaultCommand } from '../config/command.ts';
import type { CommandInput } from '../config/load.ts';
import { readOtelVariables } from '../config/otel-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import { startWarnings } from '../config/start-warnings.ts';
import { createApp } from '../http/app.ts';
import { Draining } from '../http/draining.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { LoneLink } from '../link.ts';
import { createLogger } from '../telemetry/log.ts';
import type { CliCommand, Terminal } from './command.ts';
import { drain } from './drain.ts';
import { exampleShower } from './example.ts';
import { followSettings } from './follow-settings.ts';
import { generateContext, rowsContext } from './generate-context.ts';
import { startKserve } from './kserve.ts';
import { listening, requireFree } from './listening.ts';
import { liveRedactor } from './live-redactor.ts';
import { LiveSettings } from './live-settings.ts';
import { modelLife } from './model-life.ts';
import { modelTable } from './model-table.ts';
import { oneView } from './one-view.ts';
import { openKeys } from './open-keys.ts';
import { openRates } from './open-rates.ts';
import { openParts, type PartsListener } from './parts.ts';
import { connectionSettings, requestLimits } from './request-limits.ts';
import { responseStore } from './response-store.ts';
import { serverReports } from './server-reports.ts';
import { dryRun } from './servers.ts';
import { startTelemetry } from './telemetry.ts';
import { tlsFiles } from './tls-files.ts';
import { runWorkers } from './workers/primary.ts';

type Settings = CommandInput['settings'];

/** `conch`: serves the OpenAI API until it is told to stop. */
export const serveCommand: CliCommand = { definition: defaultCommand, run: serve };

async function serve(input: CommandInput, terminal: Terminal): Promise<number> {
  const { settings } = input;
  const problems = await checkFiles(settings);
  if (problems.length > 0) throw new SettingsError(problems);
  if (settings.dryRun) {
    terminal.out(await dryRun(input, { terminal, listener: { onLog: (_, text) => terminal.err(text) } }));
    return 0;
  }
  const traces = readOtelVariables(settings.otlpEndpoint, terminal.environment);
  const live = new LiveSettings(settings);
  const logger = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    isColoured: terminal.isInteractive,
    worker: terminal.seat?.number,
    redact: liveRedactor(live, Object.values(traces.options?.headers ?? {})),
    tell: (text) => terminal.err(text),
  });
  const { seat } = terminal;
  if (!seat) await requireFreePorts(settings);
  if (!seat && settings.workers > 1)
    return runWorkers(input, { terminal, logger, rates: await openRates(settings.redis, logger) });
  // What there is to say for all workers is said by one.
  const isQuiet = seat?.isSpeaker === false;
  const speaker = isQuiet ? logger.child({}, { level: 'silent' }) : logger;
  const showExample = exampleShower(settings, terminal, speaker);
  const tls = tlsFiles(settings, { logger: speaker, stop: terminal.stop });
  const connections = connectionSettings(settings, tls);
  const listener: PartsListener = {
    onChange: (rows) => {
      if (isQuiet) return;
      if (settings.logFormat === 'json') logger.info({ models: rows }, 'models');
      else terminal.out(modelTable(rows));
      void showExample(registry.list(), origin);
    },
    onServer: (server, fault) => reportServer(speaker, server, fault),
    onNote: (note) => speaker.info(note),
    onLog: (level, text) => speaker[level](text),
    onFault: (model, fault) => logger.error(`the tokenizer of ${model} could not be loaded: ${fault.message}`),
  };
  const draining = new Draining(terminal.stop);
  const keys = await openKeys(live, { signal: terminal.stop, logger });
  const responses = await responseStore(settings, logger);
  const rates = seat?.rates ?? (await openRates(settings.redis, logger));
  const gates = seat?.gates ?? new LocalGates();
  const access = { keys, keyLimits: { rates, gates } };
  const { servers, balancer, registry, adapterBook, close } = await openParts(input, terminal, listener, live);
  const link = seat?.link ?? new LoneLink();
  const { admission, ...life } = modelLife(registry, { live, gates, link });
  const telemetry = await startTelemetry({ settings, traces, terminal, logger: speaker, servers, balancer, registry });
  const app = createApp({
    responses,
    link,
    models: registry,
    ...oneView(link, { reports: () => serverReports(registry, balancer), metrics: telemetry.metrics }),
    ...life,
    adapterBook,
    loraRoot: settings.loraRoot,
    ...access,
    restrictedApis: settings.openaiRestrictedApi,
    maxInputSize: settings.httpMaxInputSize,
    version: terminal.version,
    connections,
    clients: settings,
    draining,
    allowedOrigins: settings.allowedOrigins,
    record: telemetry.record,
    // Read anew for each request, which keeps what it began with.
    get strictFields() {
      return live.current.strictFields;
    },
    get limits() {
      return requestLimits(live.current);
    },
    get maxJsonDepth() {
      return live.current.maxJsonDepth;
    },
    get logPrompts() {
      return live.current.logPrompts;
    },
    get generate() {
      return generateContext(live.current, registry);
    },
    get rows() {
      return rowsContext(live.current, registry);
    },
    logger,
  });
  const origin = new Promise<string>((resolve) => {
    app.addHook('onListen', async () => resolve(app.listeningOrigin));
  });
  const { host, port } = { ...settings, ...seat?.ports };
  const listenTextResolver = (address: string): string =>
    isQuiet ? `takes requests on ${address}` : `conch ${terminal.version} listens on ${address}`;
  const lookAround = () => Promise.race([registry.start(), untilStopped(terminal.stop)]);
  let stopKserve: (() => Promise<void>) | undefined;
  try {
    if (terminal.stop.aborted) return 0;
    // A worker takes its share of the requests from its first moment on, so that it knows the models before.
    if (seat) await lookAround();
    await listening({ host, port, flag: '--port' }, () => app.listen({ host, port, listenTextResolver }));
    if (settings.enableKserveFrontends)
      stopKserve = await startKserve(
        { ...settings, ...seat?.ports },
        { servers, balancer, admission, draining, ...access, logger, record: telemetry.record, connections, isQuiet },
      );
    for (const { apis, header } of settings.openaiRestrictedApi)
      speaker.info(`only with the header ${header}: ${apis.join(', ')}`);
    for (const warning of startWarnings(settings)) speaker.warn(warning);
    if (settings.config !== undefined)
      followSettings(settings.config, { live, terminal, logger, onChange: () => registry.reconsider() });
    if (!seat) await lookAround();
    seat?.ready();
    await untilStopped(terminal.stop);
    return await drain({ ...settings, draining, logger, close: () => Promise.all([app.close(), stopKserve?.()]) });
  } finally {
    await Promise.all([app.close(), stopKserve?.()]);
    await Promise.all([close(), responses.close(), rates.close(), telemetry.close()]);
  }
}

async function untilStopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort');
}

/** A port that is taken is noticed before anything is fetched or loaded. */
async function requireFreePorts({
  host,
  port,
  enableKserveFrontends,
  kserveHttpPort,
  kserveGrpcPort,
}: Settings): Promise<void> {
  await requireFree({ host, port, flag: '--port' });
  if (!enableKserveFrontends) return;
  await requireFree({ host, port: kserveHttpPort, flag: '--kserve-http-port' });
  await requireFree({ host, port: kserveGrpcPort, flag: '--kserve-grpc-port' });
}

function reportServer(logger: Logger, server: string, fault: Error | undefined): void {
  if (fault === undefined) logger.info(`${server} answers`);
  else logger.warn(`${server} does not answer yet: ${fault.message}; trying again`);
}
