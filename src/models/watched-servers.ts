import type { InferenceServer } from '../kserve/server.ts';
import type { FoundModel } from './discovery.ts';
import type { RegistryOptions } from './registry-options.ts';
import { WatchedServer } from './watched-server.ts';

interface WatchListener {
  /** Called after every look, and when other servers are watched. */
  readonly onChange: () => void;
  /** Called when a server no longer answers or is watched no more. */
  readonly onGone: (server: InferenceServer) => void;
}

/** A model as one server has it. */
export interface ModelCopy {
  readonly server: InferenceServer;
  readonly found: FoundModel;
}

/** The servers of now, each looked at over and over at its own pace. */
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
      onServer: (server: string, fault: Error | undefined) => options.onServer?.(server, fault),
      onLook: (server: InferenceServer, fault: Error | undefined) => {
        options.onLook?.(server, fault);
        if (fault) listener.onGone(server);
        listener.onChange();
      },
    };
    this.#newWatch = (server) => new WatchedServer(server, watching);
    this.#watched = options.servers.map(this.#newWatch);
  }

  get all(): readonly WatchedServer[] {
    return this.#watched;
  }

  /** Takes the first look at every server and goes on looking in the background. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.refresh();
    for (const watched of this.#watched) watched.watch();
  }

  /**
   * Takes over that these are the servers now: new ones are looked at, and nothing is sent any more to those that went.
   * Where nobody else answers, those serve on until a new one was seen. Resolves when they are no longer asked.
   */
  async follow(servers: readonly InferenceServer[]): Promise<void> {
    const before = this.#watched;
    const next = servers.map((server) => before.find((watched) => watched.server === server) ?? this.#newWatch(server));
    const gone = before.filter((watched) => !next.includes(watched));
    const added = this.#isStarted ? next.filter((watched) => !before.includes(watched)) : [];
    const isBridged = added.length > 0 && next.every(({ isSilent }) => isSilent);
    this.#watched = isBridged ? [...next, ...gone] : next;
    this.#listener.onChange();
    const looks = added.map(async (watched) => {
      await watched.look();
      if (watched.isSilent) throw watched.fault ?? new Error('It was not looked at.');
    });
    for (const watched of added) watched.watch();
    const firstSeen = Promise.any(looks).catch(() => undefined);
    if (isBridged) await firstSeen;
    this.#watched = this.#watched.filter((watched) => !gone.includes(watched));
    for (const watched of gone) {
      void watched.end();
      this.#listener.onGone(watched.server);
    }
    this.#listener.onChange();
  }

  /** Looks at every server once, or at these. */
  async refresh(servers: readonly InferenceServer[] = this.#watched.map(({ server }) => server)): Promise<void> {
    const wanted = this.#watched.filter(({ server }) => servers.includes(server));
    await Promise.all(wanted.map((watched) => watched.look()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.end()));
  }

  /** A model as each server has it that has it at all. */
  copiesOf(root: string): ModelCopy[] {
    return this.#watched.flatMap(({ server, found }) =>
      found.filter(({ name }) => name === root).map((model) => ({ server, found: model })),
    );
  }

  /** Everything in the servers' repositories, each under its own name. */
  names(): string[] {
    return [...new Set(this.#watched.flatMap(({ found }) => found.map(({ name }) => name)))];
  }
}
