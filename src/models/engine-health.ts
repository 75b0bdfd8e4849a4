import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineFailure, EngineLocation, Engines } from '../kserve/engines.ts';
import type { FoundModel } from './discovery.ts';
import { type ProbeResult, probeEngine, probesOf } from './probe-engine.ts';
import type { ModelRegistry } from './registry.ts';

interface HealthOptions {
  readonly engines: Engines;
  readonly registry: Pick<ModelRegistry, 'servers'>;
  /** Milliseconds between two probes of an engine; 0: none. */
  readonly checkInterval: () => number;
}

/** Milliseconds between two checks of the setting while it turns the probes off. */
const offPause = 1_000;

/** Probes engines: those that do not respond to requests, and all at intervals, to find failed idle ones too. */
export class EngineHealth {
  readonly #options: HealthOptions;
  readonly #stop = new AbortController();
  /** The running probes. */
  readonly #running = new Map<string, Promise<ProbeResult>>();
  #loop: Promise<void> | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    options.engines.listen({ onSilent: (location) => void this.check(location) });
  }

  /** Starts to probe every engine at intervals. */
  watch(): void {
    this.#loop ??= this.#watch();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** Probes an engine and records the result. */
  async check(location: EngineLocation): Promise<ProbeResult['kind']> {
    const { engines } = this.#options;
    const result = await this.#probe(location);
    if (this.#stop.signal.aborted) return 'unknown';
    if (result.kind === 'failed') engines.fail(location, failureOf(result), true);
    if (result.kind === 'alive') engines.heal(location);
    return result.kind;
  }

  /** One probe of an engine at a time. */
  #probe(location: EngineLocation): Promise<ProbeResult> {
    const key = `${location.model} ${location.server.name}`;
    const running = this.#running.get(key);
    if (running) return running;
    const found = this.#find(location);
    const probes = found ? probesOf(location.server, found) : [];
    if (found && probes.length === 0) return Promise.resolve({ kind: 'unprobed' });
    const probe = probeEngine(location.server, probes, this.#stop.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, probe);
    return probe;
  }

  #find({ server, model }: EngineLocation): FoundModel | undefined {
    const watched = this.#options.registry.servers().find((each) => each.server === server);
    return watched?.found.find(({ ready }) => ready && (ready.target ?? ready).name === model);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const interval = this.#options.checkInterval();
      await sleep(interval || offPause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted || interval === 0) continue;
      await Promise.all(this.#locations().map((location) => this.check(location)));
    }
  }

  /** The engines that can be probed and are not known to have failed: the recovery probes those. */
  #locations(): EngineLocation[] {
    const { engines, registry } = this.#options;
    return registry
      .servers()
      .flatMap(({ server, found }) =>
        found
          .filter((model) => probesOf(server, model).length > 0)
          .map(({ ready, name }) => ({ server, model: ready?.target?.name ?? name })),
      )
      .filter((location) => !engines.failureOf(location));
  }
}

function failureOf({ part, message }: Extract<ProbeResult, { kind: 'failed' }>): EngineFailure {
  return { part, message, by: 'probe', at: Date.now() };
}
