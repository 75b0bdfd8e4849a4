import { setTimeout as sleep } from 'node:timers/promises';
import type { InferenceServer } from '../kserve/server.ts';
import { Discovery, type FoundModel } from './discovery.ts';
import type { ModelHints } from './fit.ts';

interface WatchOptions {
  /** Milliseconds between two checks; it may change while the server is watched. */
  readonly refreshInterval: () => number;
  readonly hints: (model: string) => ModelHints;
  /** Called when the server becomes reachable, or fails with another error. */
  readonly onServer: (server: string, fault: Error | undefined) => void;
  /** Called after every check. */
  readonly onLook: (server: InferenceServer, fault: Error | undefined) => void;
}

/** Configurations can change under the same version number: after this many checks they are all read again. */
const looksUntilForgotten = 15;

/** A server, and the models or the error of its last check. */
export class WatchedServer {
  readonly server: InferenceServer;
  readonly #discovery: Discovery;
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #found: readonly FoundModel[] = [];
  #fault: Error | undefined;
  #hasAnswered = false;
  #lastNames: ReadonlySet<string> = new Set();
  /** Checks run one after the other, so that an older result never replaces a newer one. */
  #lastLook: Promise<void> = Promise.resolve();

  constructor(server: InferenceServer, options: WatchOptions) {
    this.server = server;
    this.#options = options;
    this.#discovery = new Discovery(server, options.hints);
  }

  get found(): readonly FoundModel[] {
    return this.#found;
  }

  get fault(): Error | undefined {
    return this.#fault;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether its models are unknown: it has not responded yet, or is unreachable now. */
  get isSilent(): boolean {
    return this.#fault !== undefined || !this.#hasAnswered;
  }

  /** Its models when it last responded: they are expected back. */
  get lastNames(): ReadonlySet<string> {
    return this.#lastNames;
  }

  look(): Promise<void> {
    const look = this.#lastLook.then(() => this.#lookNow());
    this.#lastLook = look.catch(() => undefined);
    return look;
  }

  /** Checks the server at intervals until `end`. */
  watch(): void {
    this.#loop ??= this.#lookAgain();
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #lookAgain(): Promise<void> {
    const { refreshInterval } = this.#options;
    const { signal } = this.#stop;
    for (let looks = 1; !signal.aborted; looks++) {
      await sleep(refreshInterval(), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      if (looks % looksUntilForgotten === 0) this.#discovery.forget();
      await this.look();
    }
  }

  async #lookNow(): Promise<void> {
    const { onServer, onLook } = this.#options;
    const { signal } = this.#stop;
    try {
      const found = await this.#discovery.look(signal);
      if (signal.aborted) return;
      this.#found = found;
      if (this.isSilent) onServer(this.server.name, undefined);
      this.#fault = undefined;
      this.#hasAnswered = true;
      this.#lastNames = new Set(this.#found.map(({ name }) => name));
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (this.#fault?.message !== failure.message) onServer(this.server.name, failure);
      this.#fault = failure;
      this.#found = [];
      this.#discovery.forget();
    }
    onLook(this.server, this.#fault);
  }
}
