import type { ModelIndexEntry } from '../../kserve/messages.ts';
import type { InferenceServer } from '../../kserve/server.ts';

/** How long the model index of a server stays valid, in milliseconds. */
const freshFor = 1000;

/** How long requests wait for the index, and how long it may still arrive for later ones. */
const patience = 1000;
const askTimeout = 10_000;

/** The models of one server. While it does not respond, its last index stays, so that requests get its own error. */
export class ServerIndex {
  readonly #server: InferenceServer;
  #rows: readonly ModelIndexEntry[] = [];
  #isSilent = false;
  #asked: Promise<void> | undefined;
  #askedAt = 0;
  /** Calls are numbered: only the last one counts. */
  #question = 0;
  #isAsking = false;

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
    if (!this.#asked || (!this.#isAsking && performance.now() - this.#askedAt > freshFor)) this.#asked = this.#ask();
    return this.#asked;
  }

  /** The known index is outdated, and so is the one of a running call. */
  forget(): void {
    this.#asked = undefined;
  }

  #ask(): Promise<void> {
    this.#askedAt = performance.now();
    this.#isAsking = true;
    const question = ++this.#question;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        if (question === this.#question) this.#isSilent = true;
        resolve();
      };
      const timer = setTimeout(giveUp, patience);
      const answered = ({ models }: { readonly models: readonly ModelIndexEntry[] }): void => {
        if (question !== this.#question) return;
        this.#rows = models;
        this.#isSilent = false;
      };
      void this.#server
        .call('RepositoryIndex', {}, { timeout: askTimeout })
        .then(answered, giveUp)
        .finally(() => {
          clearTimeout(timer);
          if (question === this.#question) this.#isAsking = false;
          resolve();
        });
    });
  }
}
