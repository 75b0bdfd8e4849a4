import { setTimeout as sleep } from 'node:timers/promises';
import type { InferenceServer } from '../kserve/server.ts';
import { Discovery, type FoundModel } from './discovery.ts';
import type { ModelHints } from './fit.ts';

interface WatchOptions {
  /** Milliseconds between two looks; it may change while the server is watched. */
  readonly refreshInterval: () => number;
  readonly hints: (model: string) => ModelHints;
  /** Called when the server answers for the first time or again, or fails in a new way. */
  readonly onServer: (server: string, fault: Error | undefined) => void;
  /** Called after every look. */
  readonly onLook: (server: InferenceServer, fault: Error | undefined) => void;
}

/** Configurations can change under the same version number: after this many looks they are all read again. */
const looksUntilForgotten = 15;

/** A server, what was found on it, and why nothing was. */
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
  /** Looks follow each other, so that an older one never has the last word. */
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

  /** Whether nobody knows what it has: it has not answered yet, or does not any more. */
  get isSilent(): boolean {
    return this.#fault !== undefined || !this.#hasAnswered;
  }

  /** What it had when it last answered: these models are expected back. */
  get lastNames(): ReadonlySet<string> {
    return this.#lastNames;
  }

  look(): Promise<void> {
    const look = this.#lastLook.then(() => this.#lookNow());
    this.#lastLook = look.catch(() => undefined);
    return look;
  }

  /** Looks over and over, until it is told to end. */
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
      const fault = error instanceof Error ? error : new Error(String(error));
      if (this.#fault?.message !== fault.message) onServer(this.server.name, fault);
      this.#fault = fault;
      this.#found = [];
      this.#discovery.forget();
    }
    onLook(this.server, this.#fault);
  }
}
