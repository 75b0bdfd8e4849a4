import { unloadsModel } from '../kserve/engine-failure.ts';
import type { EngineLocation, Engines } from '../kserve/engines.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { EngineHealth } from './engine-health.ts';
import type { ModelControl } from './model-control.ts';

interface RecoveryOptions {
  readonly engines: Engines;
  readonly health: Pick<EngineHealth, 'check'>;
  readonly control: Pick<ModelControl, 'canControl' | 'hasOthers' | 'isChanging' | 'reload' | 'stateOf'>;
  readonly isOn: () => boolean;
  readonly loadTimeout: number;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

/** How an engine is recovered. */
type RecoveryMethod = 'reload' | 'restart' | 'operator';

/** Milliseconds before the second try to recover an engine; the pause doubles for each further try. */
const firstPause = 5_000;
const longestPause = 300_000;
/** An engine that worked for this long before it failed is recovered at once, as after its first failure. */
const longLife = 300_000;
/** Milliseconds between two probes of a failed engine. */
const firstProbePause = 250;
const longestProbePause = 5_000;
/** Milliseconds between two log lines that ask the operator for help. */
const reminder = 600_000;

/** Milliseconds to finish an unload and start the load when Conch stops. */
const longestEnd = 12_000;

interface History {
  tries: number;
  /** When the last try ended. */
  lastTry: number;
}

/** One try to recover an engine. */
interface RecoveryTry {
  /** Its number, from 1 on. */
  readonly tries: number;
  /** When the engine failed, or when the last try ended. */
  readonly since: number;
}

/** Recovers failed engines, in one process for all. It retries with growing pauses until each engine works again. */
export class EngineRecovery {
  readonly #options: RecoveryOptions;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #histories = new Map<string, History>();
  /** When each server was last restarted. */
  readonly #restarts = new WeakMap<InferenceServer, number>();

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Recovers a failed engine, until it works again or its model is unloaded. */
  take(location: EngineLocation): void {
    const key = keyOf(location);
    if (this.#running.has(key) || this.#stop.signal.aborted) return;
    const running = this.#recover(location).finally(() => {
      this.#running.delete(key);
      // It may have failed again in the meantime.
      if (this.#isFailed(location)) this.take(location);
    });
    this.#running.set(key, running);
  }

  /** Stops. If a model was unloaded for a reload, its load is still started; the server finishes it. */
  async close(): Promise<void> {
    this.#stop.abort();
    const running = Promise.all(this.#running.values()).catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, longestEnd);
    });
    await Promise.race([running, patience]);
    clearTimeout(timer);
  }

  async #recover(location: EngineLocation): Promise<void> {
    const history = this.#historyOf(location);
    const startTime = performance.now();
    let lastReminder = Number.NEGATIVE_INFINITY;
    let probePause = firstProbePause;
    let isUnloadedHere = false;
    while (this.#isFailed(location)) {
      const isDue = performance.now() >= history.lastTry + pauseAfter(history.tries);
      const state = await this.#stateOf(location);
      if (!this.#isFailed(location)) break;
      // An operator has unloaded it, or loads it: the failed engine no longer exists.
      if (state !== undefined && state !== 'READY' && !isUnloadedHere && !this.#hasUnloadedItself(location, state)) {
        this.#options.engines.heal(location);
        break;
      }
      const probeResult = state === 'READY' ? await this.#options.health.check(location) : undefined;
      if (probeResult === 'alive') break;
      if (probeResult === 'unprobed' && (isUnloadedHere || (isDue && (await this.#isForRequests(location, history))))) {
        this.#options.engines.heal(location);
        break;
      }
      if (isDue && state !== undefined && this.#mayBringBack(location)) {
        const method = await this.#methodFor(location, isUnloadedHere && state !== 'READY');
        if (method === 'operator' && performance.now() >= lastReminder + reminder) {
          lastReminder = performance.now();
          this.#remind(location);
        }
        if (method !== 'operator') {
          history.tries++;
          isUnloadedHere = await this.#bringBack(location, method, {
            tries: history.tries,
            since: Math.max(startTime, history.lastTry),
          });
          history.lastTry = performance.now();
          probePause = firstProbePause;
          continue;
        }
      }
      await this.#pause(probePause);
      probePause = Math.min(longestProbePause, probePause * 2);
    }
  }

  /** Whether Conch may recover it now: its model is not being loaded or unloaded. */
  #mayBringBack(location: EngineLocation): boolean {
    const { isOn, control } = this.#options;
    return isOn() && this.#isFailed(location) && !control.isChanging(location.model);
  }

  /** Whether the engine still needs recovery. */
  #isFailed(location: EngineLocation): boolean {
    return !this.#stop.signal.aborted && this.#options.engines.failureOf(location) !== undefined;
  }

  /** Whether its backend has unloaded it, so that Conch must load it. */
  #hasUnloadedItself(location: EngineLocation, state: string): boolean {
    const { engines, isOn } = this.#options;
    return isOn() && state !== 'LOADING' && unloadsModel(engines.failureOf(location)?.message ?? '');
  }

  async #stateOf({ server, model }: EngineLocation): Promise<string | undefined> {
    try {
      return await this.#options.control.stateOf(server, model);
    } catch {
      return undefined;
    }
  }

  /** `isLost`: the model is unloaded after the last try. */
  async #methodFor({ server, model }: EngineLocation, isLost = false): Promise<RecoveryMethod> {
    const { control } = this.#options;
    if (await control.canControl(server)) return 'reload';
    if (!server.restart) return 'operator';
    // Further restarts would interrupt the requests of other models each time.
    return isLost && control.hasOthers(server, model) ? 'operator' : 'restart';
  }

  /**
   * Whether to let the next request show if a model works that cannot be probed; that counts as a try. It comes first,
   * because Triton restarts the Python process of many models by itself. Later it is the last resort.
   */
  async #isForRequests(location: EngineLocation, history: History): Promise<boolean> {
    const isFirst = history.tries === 0;
    if (!isFirst && this.#options.isOn() && (await this.#methodFor(location)) !== 'operator') return false;
    if (!isFirst && this.#options.isOn()) this.#remind(location);
    history.tries++;
    history.lastTry = performance.now();
    return true;
  }

  /** Tries once. Returns whether the model may be unloaded because of it. */
  async #bringBack(location: EngineLocation, method: 'reload' | 'restart', attempt: RecoveryTry): Promise<boolean> {
    const { control, log } = this.#options;
    const { server, model } = location;
    const { tries } = attempt;
    if (method === 'restart') {
      await this.#restart(location, attempt);
      return true;
    }
    log('warn', `Reloading the model ${model} on ${server.name}: its engine has failed (try ${tries}).`);
    try {
      await control.reload(model, server);
      return false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const next = `Next try in ${pauseAfter(tries) / 1000} s.`;
      log('warn', `The model ${model} could not be reloaded on ${server.name}: ${reason} ${next}`);
      return true;
    }
  }

  /** Restarts a server and waits until the model is ready there, at most for the load timeout. */
  async #restart(location: EngineLocation, { tries, since }: RecoveryTry): Promise<void> {
    const { log, loadTimeout } = this.#options;
    const { server, model } = location;
    // The engine of another model may have caused a restart since.
    if ((this.#restarts.get(server) ?? Number.NEGATIVE_INFINITY) < since) {
      this.#restarts.set(server, performance.now());
      log('warn', `Restarting ${server.name}: the engine of the model ${model} has failed (try ${tries}).`);
      await server.restart?.().catch(() => undefined);
    }
    const end = performance.now() + loadTimeout;
    while (this.#isFailed(location) && performance.now() < end) {
      if ((await this.#stateOf(location)) === 'READY') return;
      await this.#pause(firstProbePause);
    }
  }

  /** Waits for so long, or until Conch stops. */
  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      timer.unref();
      signal.addEventListener('abort', end);
    });
  }

  #remind({ server, model }: EngineLocation): void {
    const reason = server.restart
      ? 'and a restart of the server did not fix it. Conch does not restart it again because it has other models. '
      : 'and the server does not let Conch reload it. Reload the model or restart the server. ';
    this.#options.log(
      'warn',
      `The engine of the model ${model} has failed on ${server.name}, ${reason}Conch detects when it works again.`,
    );
  }

  #historyOf(location: EngineLocation): History {
    const isOver = ({ tries, lastTry }: History): boolean =>
      performance.now() - lastTry >= longLife + pauseAfter(tries);
    for (const [key, history] of this.#histories)
      if (!this.#running.has(key) && isOver(history)) this.#histories.delete(key);
    const key = keyOf(location);
    const known = this.#histories.get(key);
    if (known) return known;
    const history = { tries: 0, lastTry: Number.NEGATIVE_INFINITY };
    this.#histories.set(key, history);
    return history;
  }
}

function pauseAfter(tries: number): number {
  return tries === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (tries - 1));
}

function keyOf({ server, model }: EngineLocation): string {
  return `${model} ${server.name}`;
}
