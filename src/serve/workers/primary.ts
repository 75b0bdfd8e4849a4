import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { CommandInput } from '../../config/load.ts';
import { LocalGates } from '../../limits/local-gates.ts';
import type { TritonPorts } from '../../servers/managed/command-line.ts';
import { freePorts } from '../../servers/managed/free-ports.ts';
import type { ManagedServer } from '../../servers/managed/managed-server.ts';
import { Disposables } from '../disposables.ts';
import { applySettingsText } from '../follow-settings.ts';
import type { LiveSettings } from '../live-settings.ts';
import { openRates } from '../open-rates.ts';
import type { Terminal } from '../terminal.ts';
import { hostLimits } from './limits.ts';
import { hostLink } from './link.ts';
import { MetricHistory } from './metric-history.ts';
import type { Orders, SharedPorts } from './worker-context.ts';
import { WorkerPool } from './worker-pool.ts';

type Settings = CommandInput['settings'];

interface PrimaryOptions {
  readonly terminal: Terminal;
  readonly logger: Logger;
  /** The live settings, which the logger follows. */
  readonly live: LiveSettings;
}

/** Runs the workers, and everything that they share, until the stop signal. */
export async function runWorkers(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  options: PrimaryOptions,
): Promise<number> {
  const disposables = new Disposables();
  try {
    return await run(input, options, disposables);
  } finally {
    await disposables.close();
  }
}

async function run(
  input: Pick<CommandInput, 'settings' | 'rest'>,
  { terminal, logger, live }: PrimaryOptions,
  disposables: Disposables,
): Promise<number> {
  const { settings } = input;
  const settingsText = settings.config === undefined ? undefined : readFileSync(settings.config, 'utf8');
  const ports = await sharedPorts(settings);
  const gates = new LocalGates();
  const history = new MetricHistory();
  const rates = disposables.add(await openRates(settings.redis, logger));
  let triton: TritonPorts | undefined;
  let latestText: string | undefined;
  let managed: ManagedServer | undefined;
  const pool = new WorkerPool({
    size: settings.workers,
    logger,
    onWorker: (number, messenger) => {
      messenger.on('orders', (): Orders => {
        const isStopping = terminal.stop.aborted;
        return { number, ports, settingsText, latestText, triton, isStopping };
      });
      messenger.on('settings', (text) => {
        if (text === latestText) return;
        latestText = text as string;
        applySettingsText(latestText, { live, terminal, logger });
      });
      messenger.on('restart-triton', () => managed?.restart());
      hostLink(messenger, { workers: () => pool.ready(), history });
      const release = hostLimits(messenger, gates, rates);
      return () => {
        release();
        history.removeWorker(number);
      };
    },
  });
  if (settings.modelRepository.length > 0) {
    const { openManaged } = await import('../own-servers.ts');
    managed = await openManaged(input, {
      terminal,
      listener: { onLog: (level, text) => logger[level](text) },
      onPorts: (now) => {
        triton = now;
        pool.notify('triton', now);
      },
    });
    disposables.add(managed);
  }
  if (terminal.stop.aborted) return 0;
  terminal.onHangUp(() => pool.notify('hang-up'));
  const stopped = once(terminal.stop, 'abort').then(() => pool.stop());
  const code = await pool.start();
  if (code !== undefined) return code;
  logger.info(`${settings.workers} workers share the ports`);
  const exitCode = await stopped;
  logger.info('all workers have stopped');
  return exitCode;
}

/** Chooses free ports for those that are 0, so that they stay the same when workers restart. */
async function sharedPorts({ host, port, kserveHttpPort, kserveGrpcPort }: Settings): Promise<SharedPorts> {
  const [first = 0, second = 0, third = 0] = await freePorts(host, 3);
  return { port: port || first, kserveHttpPort: kserveHttpPort || second, kserveGrpcPort: kserveGrpcPort || third };
}
