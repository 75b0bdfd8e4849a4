import type { ModelIndexEntry } from '../../kserve/messages.ts';
import type { InferenceServer } from '../../kserve/server.ts';

/** How long the model index of a server stays valid, in milliseconds. */
const freshFor = 1000;

/** How long requests wait for the index, and how long it may still arrive for later ones. */
const patience = 1000;
const callTimeout = 10_000;

/** The models of one server. While it does not respond, its last index stays, so that requests get its own error. */
export class ServerIndex {
  readonly #server: InferenceServer;
  #rows: readonly ModelIndexEntry[] = [];
  #isSilent = false;
  #pending: Promise<void> | undefined;
  #calledAt = 0;
  /** Calls are numbered: only the last one counts. */
  #callNumber = 0;
  #isCalling = false;

  constructor(server: InferenceServer) {
    this.#server = server;
  }

  get rows(): readonly ModelIndexEntry[] {
    return this.#rows;
  }

  /** Whether the last call failed or timed out. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Calls the server again if that is due. Resolves with its response, or after the longest wait. */
  refresh(): Promise<void> {
    if (!this.#pending || (!this.#isCalling && performance.now() - this.#calledAt > freshFor))
      this.#pending = this.#call();
    return this.#pending;
  }

  /** The known index is outdated, and so is the one of a running call. */
  forget(): void {
    this.#pending = undefined;
  }

  #call(): Promise<void> {
    this.#calledAt = performance.now();
    this.#isCalling = true;
    const callNumber = ++this.#callNumber;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        if (callNumber === this.#callNumber) this.#isSilent = true;
        resolve();
      };
      const timer = setTimeout(giveUp, patience);
      const onIndex = ({ models }: { readonly models: readonly ModelIndexEntry[] }): void => {
        if (callNumber !== this.#callNumber) return;
        this.#rows = models;
        this.#isSilent = false;
      };
      void this.#server
        .call('RepositoryIndex', {}, { timeout: callTimeout })
        .then(onIndex, giveUp)
        .finally(() => {
          clearTimeout(timer);
          if (callNumber === this.#callNumber) this.#isCalling = false;
          resolve();
        });
    });
  }
}
