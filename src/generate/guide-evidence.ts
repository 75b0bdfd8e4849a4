/** What is known about one engine since its start. */
interface EngineLife<Suspect> {
  /** The hashes of guides that it responded to; the oldest first. */
  proven: Set<string>;
  /** Guided requests whose clients disconnected before the engine responded; the oldest first. */
  disconnected: { readonly suspect: Suspect; readonly at: number }[];
  failedAt: number | undefined;
  /** The client of the newest request whose guide the engine has not responded to. */
  newest: string | undefined;
}

interface EvidenceOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The maximum number of guides and abandoned requests that are remembered for an engine. */
  readonly most?: number;
}

/** The maximum number of engines that are remembered. */
const mostEngines = 256;
/** Milliseconds in which an engine fails because of a guide whose client disconnected. */
const longestDeath = 10_000;
/** Milliseconds after a failure in which responses may still be those of the engine that failed. */
const sameLife = 1_000;

/**
 * Separates guides that may have made an engine fail from those that merely ran there. A guide that an engine responded
 * to does not make it fail later, until it restarts: the first guide decides which library compiles them.
 */
export class GuideEvidence<Suspect> {
  readonly #now: () => number;
  readonly #most: number;
  readonly #engines = new Map<string, EngineLife<Suspect>>();

  constructor({ now = Date.now, most = 1_000 }: EvidenceOptions = {}) {
    this.#now = now;
    this.#most = most;
  }

  /** A guided request is sent to an engine. */
  started(engine: string, guide: string, client: string): void {
    if (!this.isProven(engine, guide)) this.#life(engine).newest = client;
  }

  /**
   * Whether a failure of an engine counts against this client. An engine fails while it compiles a guide, so the newest
   * waiting request is the likely cause.
   */
  isNewest(engine: string, client: string): boolean {
    const newest = this.#engines.get(engine)?.newest;
    return newest === undefined || newest === client;
  }

  /** An engine responded to a request with this guide. */
  responded(engine: string, guide: string): void {
    const life = this.#life(engine);
    if (life.failedAt !== undefined && this.#now() - life.failedAt >= sameLife) {
      life.proven = new Set();
      life.failedAt = undefined;
    }
    life.proven.delete(guide);
    life.proven.add(guide);
    const [oldest] = life.proven.size > this.#most ? life.proven : [];
    if (oldest !== undefined) life.proven.delete(oldest);
  }

  isProven(engine: string, guide: string): boolean {
    return this.#engines.get(engine)?.proven.has(guide) ?? false;
  }

  /** The client of a guided request disconnected before the engine responded. */
  disconnected(engine: string, suspect: Suspect): void {
    const life = this.#life(engine);
    life.disconnected = [...this.#recent(life), { suspect, at: this.#now() }].slice(-this.#most);
  }

  /** An engine failed. Returns the requests whose clients disconnected a moment ago, each once. */
  failed(engine: string): readonly Suspect[] {
    const life = this.#engines.get(engine);
    if (!life) return [];
    life.failedAt = this.#now();
    const suspects = this.#recent(life).map(({ suspect }) => suspect);
    life.disconnected = [];
    return suspects;
  }

  #recent({ disconnected }: EngineLife<Suspect>): EngineLife<Suspect>['disconnected'] {
    return disconnected.filter(({ at }) => this.#now() - at < longestDeath);
  }

  #life(engine: string): EngineLife<Suspect> {
    const life = this.#engines.get(engine) ?? {
      proven: new Set(),
      disconnected: [],
      failedAt: undefined,
      newest: undefined,
    };
    this.#engines.delete(engine);
    this.#engines.set(engine, life);
    const [oldest] = this.#engines.size > mostEngines ? this.#engines.keys() : [];
    if (oldest !== undefined) this.#engines.delete(oldest);
    return life;
  }
}
