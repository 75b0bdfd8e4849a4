import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InferenceServer } from '../../kserve/server.ts';

interface ResolvedOptions {
  readonly name: string;
  readonly resolve: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Milliseconds between two resolutions; it may change. */
  readonly interval: () => number;
  readonly open: (address: string) => InferenceServer;
  /** Servers were added or removed; the listener closes the removed ones. */
  readonly onChange: (removed: readonly InferenceServer[]) => void;
  /** The name cannot be resolved, for a new reason; undefined: it can be again. */
  readonly onError: (error: Error | undefined) => void;
}

/** How long the start waits for the first addresses, in milliseconds. */
const patience = 1000;

/** One server for every address of a name. The name is resolved again and again; a failure changes nothing. */
export class ResolvedServers {
  readonly #options: ResolvedOptions;
  readonly #stop = new AbortController();
  #servers = new Map<string, InferenceServer>();
  #lastError: string | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  get current(): readonly InferenceServer[] {
    return [...this.#servers.values()];
  }

  /** Resolves the name for the first time, then again in the background. Does not wait long for the first time. */
  async start(): Promise<void> {
    const first = this.refresh();
    void first.then(() => this.#follow());
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience);
      void first.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Does not wait for a running resolution. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.current.map((server) => server.close()));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(this.#options.interval(), undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.refresh();
    }
  }

  /** Resolves the name now. */
  async refresh(): Promise<void> {
    const { name, resolve, onError } = this.#options;
    try {
      const addresses = await resolve(name, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      if (this.#lastError !== undefined) onError(undefined);
      this.#lastError = undefined;
      this.#update(addresses);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (this.#lastError !== failure.message) onError(failure);
      this.#lastError = failure.message;
    }
  }

  #update(addresses: readonly string[]): void {
    const { open, onChange } = this.#options;
    const before = this.#servers;
    this.#servers = new Map(addresses.map((address) => [address, before.get(address) ?? open(address)]));
    const removed = [...before].filter(([address]) => !this.#servers.has(address)).map(([, server]) => server);
    const hasNew = addresses.some((address) => !before.has(address));
    if (removed.length > 0 || hasNew) onChange(removed);
  }
}

/** The codes of a DNS server for a name without addresses of one kind. */
const nothing = new Set(['ENODATA', 'ENOTFOUND']);

const lookupLimits = { timeout: 2_000, tries: 2 };

type Resolve = (name: string, signal?: AbortSignal) => Promise<string[]>;

/** Returns all addresses of a name, sorted: from the DNS server, or as the system resolves names. */
export function nameResolver(dnsServer: string | undefined): Resolve {
  if (dnsServer === undefined)
    return async (name) => {
      const found = await lookup(name, { all: true });
      return [...new Set(found.map(({ address }) => address))].toSorted();
    };
  const resolver = new Resolver(lookupLimits);
  resolver.setServers([dnsServer]);
  return async (name, signal) => {
    const cancel = (): void => resolver.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    // The addresses of one kind are useful even if the other kind fails.
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal?.removeEventListener('abort', cancel);
    const addresses = [...new Set(found.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))].toSorted();
    if (addresses.length > 0) return addresses;
    const errors = found.flatMap((each) => (each.status === 'rejected' ? [each.reason as NodeJS.ErrnoException] : []));
    throw errors.find(({ code = '' }) => !nothing.has(code)) ?? new Error(`${name} has no addresses`);
  };
}
