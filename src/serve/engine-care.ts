import type { Logger } from 'pino';
import { unloadsModel } from '../kserve/engine-failure.ts';
import type { EngineFailure, EngineLocation, Engines } from '../kserve/engines.ts';
import type { Link } from '../link.ts';
import { EngineHealth } from '../models/engine-health.ts';
import type { ModelControl } from '../models/model-control.ts';
import { EngineRecovery } from '../models/recover-engine.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { LiveSettings } from './live-settings.ts';

interface CareOptions {
  readonly engines: Engines;
  readonly registry: ModelRegistry;
  readonly control: ModelControl;
  readonly link: Link;
  readonly live: LiveSettings;
  readonly logger: Pick<Logger, 'error' | 'info' | 'warn'>;
  /** Whether this process probes idle engines and recovers failed ones, for all processes. */
  readonly isLeader: boolean;
}

/** An engine by its names, for messages between processes. */
interface EngineNames {
  readonly server: string;
  readonly model: string;
}

interface ReportedFailure extends EngineNames {
  readonly failure: EngineFailure;
}

/** Finds failed engines, reports them to all processes, and recovers them. */
export class EngineCare {
  readonly #options: CareOptions;
  readonly #health: EngineHealth;
  readonly #recovery: EngineRecovery;

  constructor(options: CareOptions) {
    this.#options = options;
    const { engines, registry, control, live, logger, link } = options;
    this.#health = new EngineHealth({ engines, registry, checkInterval: () => live.current.engineCheckInterval });
    this.#recovery = new EngineRecovery({
      engines,
      control,
      health: this.#health,
      isOn: () => live.current.engineRecovery === 'auto',
      loadTimeout: live.current.loadTimeout,
      log: (level, text) => logger[level](text),
    });
    engines.listen({
      onFailed: (location, failure, isOwn) => this.#onFailed(location, failure, isOwn),
      onHealed: (location) => this.#onHealed(location),
    });
    link.register('engines.failed', (report) => {
      const { failure, ...named } = report as ReportedFailure;
      const location = this.#locationOf(named);
      if (location) engines.fail(location, failure, false);
    });
    link.register('engines.healed', (report) => {
      const location = this.#locationOf(report as EngineNames);
      if (location) engines.heal(location);
    });
    link.register('engines.list', () => this.#list());
  }

  /** Gets the failures that other processes know, and starts to probe. */
  async start(): Promise<void> {
    const { link, engines, isLeader } = this.#options;
    const { responses } = await link.askAll('engines.list').catch(() => ({ responses: [] }));
    for (const { failure, ...named } of (responses as ReportedFailure[][]).flat()) {
      const location = this.#locationOf(named);
      if (location) engines.fail(location, failure, false);
    }
    if (isLeader) this.#health.watch();
  }

  async close(): Promise<void> {
    await Promise.all([this.#health.close(), this.#recovery.close()]);
  }

  #onFailed(location: EngineLocation, failure: EngineFailure, isOwn: boolean): void {
    const { registry, logger, isLeader } = this.#options;
    registry.followEngines();
    if (isOwn) {
      logger.error(failureText(location, failure));
      this.#notify('engines.failed', { ...namesOf(location), failure } satisfies ReportedFailure);
    }
    if (isLeader) this.#recovery.take(location);
  }

  #onHealed(location: EngineLocation): void {
    const { registry, logger, isLeader } = this.#options;
    registry.followEngines();
    if (isLeader) logger.info(`The engine failure of the model ${location.model} on ${location.server.name} is over.`);
    this.#notify('engines.healed', namesOf(location) satisfies EngineNames);
  }

  /** Notifies all processes. This one gets the message too and ignores it. */
  #notify(request: string, argument: unknown): void {
    this.#options.link.askAll(request, argument).catch(() => undefined);
  }

  #list(): ReportedFailure[] {
    return this.#options.engines.failed().map(({ location, failure }) => ({ ...namesOf(location), failure }));
  }

  #locationOf({ server: name, model }: EngineNames): EngineLocation | undefined {
    const watched = this.#options.registry.servers().find(({ server }) => server.name === name);
    return watched && { server: watched.server, model };
  }
}

function namesOf({ server, model }: EngineLocation): EngineNames {
  return { server: server.name, model };
}

function failureText({ server, model }: EngineLocation, { part, by, requestId, message }: EngineFailure): string {
  const what = part === 'engine' ? 'The engine' : 'The backend process';
  const found = by === 'probe' ? 'a probe' : `request ${requestId ?? '(without id)'}`;
  const unloads = unloadsModel(message) ? ' Its backend unloads the model (ENABLE_VLLM_HEALTH_CHECK).' : '';
  return `${what} of the model ${model} has failed on ${server.name} (detected by ${found}).${unloads} The model gets no requests until it works again.`;
}
