import { once } from 'node:events';
import { checkFiles } from '../config/check-files.ts';
import { defaultCommand } from '../config/command.ts';
import type { CommandInput } from '../config/load.ts';
import { readOtelVariables } from '../config/otel-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import { startWarnings } from '../config/start-warnings.ts';
import { drain } from '../serve/drain.ts';
import { applySettingsText, followSettings } from '../serve/follow-settings.ts';
import { listening, requireFree } from '../serve/listening.ts';
import { LiveSettings } from '../serve/live-settings.ts';
import { type Loggers, openLoggers } from '../serve/logger.ts';
import type { Service } from '../serve/service.ts';
import type { Terminal } from '../serve/terminal.ts';
import type { CliCommand } from './command.ts';

type Settings = CommandInput['settings'];

/** Connections that may wait to be accepted: many clients reconnect at once after a restart. */
const backlog = 4096;

/** `conch`: serves the OpenAI API until it is stopped. */
export const serveCommand: CliCommand = { definition: defaultCommand, run: serve };

async function serve(input: CommandInput, terminal: Terminal): Promise<number> {
  const { settings } = input;
  const problems = await checkFiles(settings);
  if (problems.length > 0) throw new SettingsError(problems);
  if (settings.dryRun) {
    const { dryRun } = await import('../serve/own-servers.ts');
    terminal.out(await dryRun(input, { terminal, listener: { onLog: (_, text) => terminal.err(text) } }));
    return 0;
  }
  const traces = readOtelVariables(settings.otlpEndpoint, terminal.environment);
  const live = new LiveSettings(settings);
  const loggers = await openLoggers(live, terminal, Object.values(traces.options?.headers ?? {}));
  if (!terminal.worker) {
    await requireFreePorts(settings);
    if (settings.workers > 1) {
      const { runWorkers } = await import('../serve/workers/primary.ts');
      return runWorkers(input, { terminal, logger: loggers.logger, live });
    }
  }
  // Not before: a primary has no use for most of the program.
  const { openService } = await import('../serve/service.ts');
  const service = await openService(input, { terminal, live, loggers, traces });
  applySettingsText(terminal.worker?.latestText, { live, terminal, logger: loggers.logger });
  return run(service, { settings, terminal, live, loggers });
}

interface RunOptions {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly live: LiveSettings;
  readonly loggers: Loggers;
}

/** Listens until it is stopped, then lets running requests finish. */
async function run(service: Service, { settings, terminal, live, loggers }: RunOptions): Promise<number> {
  const { app, registry, draining, care } = service;
  const { worker, stop, version } = terminal;
  const { logger, leaderLogger, isQuiet } = loggers;
  const { host, port } = { ...settings, ...worker?.ports };
  const listenTextResolver = (address: string): string =>
    isQuiet ? `accepts requests on ${address}` : `conch ${version} listens on ${address}`;
  const lookAround = () => Promise.race([registry.start(), untilStopped(stop)]);
  let stopKserve: (() => Promise<void>) | undefined;
  try {
    if (stop.aborted) return 0;
    // A worker gets requests as soon as it listens, so it must know the models before.
    if (worker) await lookAround();
    await listening({ host, port, flag: '--port' }, () => app.listen({ host, port, backlog, listenTextResolver }));
    if (settings.enableKserveFrontends) stopKserve = await service.startKserve();
    for (const { apis, header } of settings.openaiRestrictedApi)
      leaderLogger.info(`header ${header} is required for ${apis.join(', ')}`);
    for (const warning of startWarnings(settings)) leaderLogger.warn(warning);
    if (settings.config !== undefined)
      followSettings(settings.config, { live, terminal, logger, onChange: () => registry.reconsider() });
    if (!worker) await lookAround();
    // The other workers start after the first one, with its compiled code.
    if (worker?.isLeader) terminal.saveCompiledCode();
    worker?.ready();
    await care.start();
    await untilStopped(stop);
    const exitCode = await drain({
      ...settings,
      draining,
      logger,
      close: () => Promise.all([app.close(), stopKserve?.()]),
    });
    // By now the functions that serve requests are compiled too.
    if (worker?.isLeader ?? true) terminal.saveCompiledCode();
    return exitCode;
  } finally {
    await Promise.all([app.close(), stopKserve?.()]);
    await service.close();
  }
}

async function untilStopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort');
}

/** Checks the ports before anything is downloaded or loaded. */
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
