import type { Logger } from 'pino';
import { unloadsModel } from '../kserve/engine-failure.ts';
import type { EngineFailure, EnginePlace, Engines } from '../kserve/engines.ts';
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
interface NamedPlace {
  readonly server: string;
  readonly model: string;
}

interface ToldFailure extends NamedPlace {
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
      onFailed: (place, failure, isOwn) => this.#onFailed(place, failure, isOwn),
      onHealed: (place) => this.#onHealed(place),
    });
    link.register('engines.failed', (told) => {
      const { failure, ...named } = told as ToldFailure;
      const place = this.#placeOf(named);
      if (place) engines.fail(place, failure, false);
    });
    link.register('engines.healed', (told) => {
      const place = this.#placeOf(told as NamedPlace);
      if (place) engines.heal(place);
    });
    link.register('engines.list', () => this.#list());
  }

  /** Gets the failures that other processes know, and starts to probe. */
  async start(): Promise<void> {
    const { link, engines, isLeader } = this.#options;
    const { answers } = await link.askAll('engines.list').catch(() => ({ answers: [] }));
    for (const { failure, ...named } of (answers as ToldFailure[][]).flat()) {
      const place = this.#placeOf(named);
      if (place) engines.fail(place, failure, false);
    }
    if (isLeader) this.#health.watch();
  }

  async close(): Promise<void> {
    await Promise.all([this.#health.close(), this.#recovery.close()]);
  }

  #onFailed(place: EnginePlace, failure: EngineFailure, isOwn: boolean): void {
    const { registry, logger, isLeader } = this.#options;
    registry.followEngines();
    if (isOwn) {
      logger.error(failureText(place, failure));
      this.#tell('engines.failed', { ...namesOf(place), failure } satisfies ToldFailure);
    }
    if (isLeader) this.#recovery.take(place);
  }

  #onHealed(place: EnginePlace): void {
    const { registry, logger, isLeader } = this.#options;
    registry.followEngines();
    if (isLeader) logger.info(`The engine failure of the model ${place.model} on ${place.server.name} is over.`);
    this.#tell('engines.healed', namesOf(place) satisfies NamedPlace);
  }

  /** Notifies all processes. This one gets the message too and ignores it. */
  #tell(question: string, argument: unknown): void {
    this.#options.link.askAll(question, argument).catch(() => undefined);
  }

  #list(): ToldFailure[] {
    return this.#options.engines.failed().map(({ place, failure }) => ({ ...namesOf(place), failure }));
  }

  #placeOf({ server: name, model }: NamedPlace): EnginePlace | undefined {
    const watched = this.#options.registry.servers().find(({ server }) => server.name === name);
    return watched && { server: watched.server, model };
  }
}

function namesOf({ server, model }: EnginePlace): NamedPlace {
  return { server: server.name, model };
}

function failureText({ server, model }: EnginePlace, { part, by, requestId, message }: EngineFailure): string {
  const what = part === 'engine' ? 'The engine' : 'The backend process';
  const found = by === 'probe' ? 'a probe' : `request ${requestId ?? '(without id)'}`;
  const unloads = unloadsModel(message) ? ' Its backend unloads the model (ENABLE_VLLM_HEALTH_CHECK).' : '';
  return `${what} of the model ${model} has failed on ${server.name} (detected by ${found}).${unloads} The model gets no requests until it works again.`;
}
