import { setTimeout as sleep } from 'node:timers/promises';
import type { InferenceServer } from '../kserve/server.ts';
import { Discovery, type FoundModel } from './discovery.ts';
import type { ModelHints } from './fit.ts';

interface ServerWatchOptions {
  /** Milliseconds between two checks; it may change while the server is watched. */
  readonly refreshInterval: () => number;
  readonly hints: (model: string) => ModelHints;
  /** Called when the server becomes reachable, or fails with another error. */
  readonly onServer: (server: string, error: Error | undefined) => void;
  /** Called after every check. */
  readonly onLook: (server: InferenceServer, error: Error | undefined) => void;
}

/** Configurations can change under the same version number: after this many checks they are all read again. */
const looksUntilForgotten = 15;

/** A server, and the models or the error of its last check. */
export class WatchedServer {
  readonly server: InferenceServer;
  readonly #discovery: Discovery;
  readonly #options: ServerWatchOptions;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #found: readonly FoundModel[] = [];
  #error: Error | undefined;
  #hasResponded = false;
  #lastNames: ReadonlySet<string> = new Set();
  /** Checks run one after the other, so that an older result never replaces a newer one. */
  #lastLook: Promise<void> = Promise.resolve();

  constructor(server: InferenceServer, options: ServerWatchOptions) {
    this.server = server;
    this.#options = options;
    this.#discovery = new Discovery(server, options.hints);
  }

  get found(): readonly FoundModel[] {
    return this.#found;
  }

  get error(): Error | undefined {
    return this.#error;
  }

  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** Whether its models are unknown: it has not responded yet, or is unreachable now. */
  get isSilent(): boolean {
    return this.#error !== undefined || !this.#hasResponded;
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
      this.#error = undefined;
      this.#hasResponded = true;
      this.#lastNames = new Set(this.#found.map(({ name }) => name));
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (this.#error?.message !== failure.message) onServer(this.server.name, failure);
      this.#error = failure;
      this.#found = [];
      this.#discovery.forget();
    }
    onLook(this.server, this.#error);
  }
}
