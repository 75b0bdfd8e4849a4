import type { InferenceServer } from '../kserve/server.ts';
import type { ResolvedServers } from '../servers/resolved/resolved-servers.ts';

/** The servers that the settings ask for: some for as long as Conch runs, those behind a name while it stands for them. */
export class ServerSet {
  readonly #fixed: readonly InferenceServer[];
  readonly #resolved: readonly ResolvedServers[];

  constructor(fixed: readonly InferenceServer[], resolved: readonly ResolvedServers[]) {
    this.#fixed = fixed;
    this.#resolved = resolved;
  }

  get current(): readonly InferenceServer[] {
    return [...this.#fixed, ...this.#resolved.flatMap(({ current }) => current)];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#fixed, ...this.#resolved].map((part) => part.close()));
  }
}
