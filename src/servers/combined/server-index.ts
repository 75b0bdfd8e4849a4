import type { ModelIndexEntry } from '../../kserve/messages.ts';
import type { InferenceServer } from '../../kserve/server.ts';

/** For so long what a server said of its models is taken as true, in milliseconds. */
const freshFor = 1000;

/** For so long requests wait to hear it, and for so long it may still come for later ones. */
const patience = 1000;
const askTimeout = 10_000;

/** What one server has. While it does not answer, what it said last holds, so that its own fault is what is told. */
export class ServerIndex {
  readonly #server: InferenceServer;
  #rows: readonly ModelIndexEntry[] = [];
  #isSilent = false;
  #asked: Promise<void> | undefined;
  #askedAt = 0;
  /** Questions are numbered: only the last one has a say. */
  #question = 0;
  #isAsking = false;

  constructor(server: InferenceServer) {
    this.#server = server;
  }

  get rows(): readonly ModelIndexEntry[] {
    return this.#rows;
  }

  /** Whether the last question failed, or has been waited for in vain. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Asks again where that is due; resolves when it is answered, or has been waited for long enough. */
  refresh(): Promise<void> {
    if (!this.#asked || (!this.#isAsking && performance.now() - this.#askedAt > freshFor)) this.#asked = this.#ask();
    return this.#asked;
  }

  /** What is known is no longer true, nor what is being answered. */
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
