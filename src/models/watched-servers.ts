import type { InferenceServer } from '../kserve/server.ts';
import type { FoundModel } from './discovery.ts';
import type { RegistryOptions } from './registry-options.ts';
import { WatchedServer } from './watched-server.ts';

interface WatchListener {
  /** Called after every check, and when the set of servers changes. */
  readonly onChange: () => void;
  /** Called when a server becomes unreachable or is removed. */
  readonly onLost: (server: InferenceServer) => void;
}

/** A model on one server. */
export interface ModelCopy {
  readonly server: InferenceServer;
  readonly found: FoundModel;
}

/** The current servers, each checked at intervals. */
export class WatchedServers {
  readonly #listener: WatchListener;
  readonly #newWatch: (server: InferenceServer) => WatchedServer;
  #watched: readonly WatchedServer[];
  #isStarted = false;

  constructor(options: RegistryOptions, listener: WatchListener) {
    this.#listener = listener;
    const watching = {
      refreshInterval: () => options.refreshInterval,
      hints: (model: string) => options.hints(model),
      onServer: (server: string, error: Error | undefined) => options.onServer?.(server, error),
      onLook: (server: InferenceServer, error: Error | undefined) => {
        options.onLook?.(server, error);
        if (error) listener.onLost(server);
        listener.onChange();
      },
    };
    this.#newWatch = (server) => new WatchedServer(server, watching);
    this.#watched = options.servers.map(this.#newWatch);
  }

  get all(): readonly WatchedServer[] {
    return this.#watched;
  }

  /** Checks every server once, then at intervals in the background. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.refresh();
    for (const watched of this.#watched) watched.watch();
  }

  /**
   * Replaces the servers: new ones are checked, and removed ones get no more requests. If no other server is reachable,
   * removed ones serve on until a new one was checked. Resolves when the removed ones are no longer used.
   */
  async follow(servers: readonly InferenceServer[]): Promise<void> {
    const before = this.#watched;
    const next = servers.map((server) => before.find((watched) => watched.server === server) ?? this.#newWatch(server));
    const removed = before.filter((watched) => !next.includes(watched));
    const added = this.#isStarted ? next.filter((watched) => !before.includes(watched)) : [];
    const isBridged = added.length > 0 && next.every(({ isSilent }) => isSilent);
    this.#watched = isBridged ? [...next, ...removed] : next;
    this.#listener.onChange();
    const looks = added.map(async (watched) => {
      await watched.look();
      if (watched.isSilent) throw watched.error ?? new Error('The server was not checked.');
    });
    for (const watched of added) watched.watch();
    const firstSeen = Promise.any(looks).catch(() => undefined);
    if (isBridged) await firstSeen;
    this.#watched = this.#watched.filter((watched) => !removed.includes(watched));
    for (const watched of removed) {
      void watched.end();
      this.#listener.onLost(watched.server);
    }
    this.#listener.onChange();
  }

  /** Checks every server once, or only these. */
  async refresh(servers: readonly InferenceServer[] = this.#watched.map(({ server }) => server)): Promise<void> {
    const selected = this.#watched.filter(({ server }) => servers.includes(server));
    await Promise.all(selected.map((watched) => watched.look()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.end()));
  }

  /** A model on each server that has it. */
  copiesOf(root: string): ModelCopy[] {
    return this.#watched.flatMap(({ server, found }) =>
      found.filter(({ name }) => name === root).map((model) => ({ server, found: model })),
    );
  }

  /** The names of all models in the servers' repositories. */
  names(): string[] {
    return [...new Set(this.#watched.flatMap(({ found }) => found.map(({ name }) => name)))];
  }
}
