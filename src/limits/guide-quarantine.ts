/** An engine failure that a guided request preceded. */
export interface GuideFailure {
  /** The hash of the structured-output guide. */
  readonly guide: string;
  /** Who sent the request: the id of its API key, or its address. */
  readonly client: string;
  /** The engine that failed: its server and model. */
  readonly engine: string;
  /** Whether the failure counts against the client, which it does for the newest request among the suspects. */
  readonly blamesClient: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What a failure led to. Times are milliseconds since 1970. */
export interface NotedFailure {
  /** Until when the guide is refused. */
  readonly until: number;
  /** Until when the client's guided requests are refused; undefined where this failure changes nothing in that. */
  readonly suspendedUntil: number | undefined;
}

/** Why a guided request is refused. Times are milliseconds since 1970. */
export type GuideRefusal =
  | { readonly kind: 'guide'; readonly failedAt: number; readonly until: number }
  | { readonly kind: 'client'; readonly failures: number; readonly until: number };

/** What is remembered of a client. */
interface ClientRecord {
  readonly failures: number;
  readonly lastAt: number;
  /** When each engine failed that failed a moment ago. */
  readonly engines: ReadonlyMap<string, number>;
}

/** The whole state, for a process that starts later. */
export interface QuarantineState {
  readonly guides: readonly (readonly [guide: string, failedAt: number])[];
  readonly clients: readonly (readonly [client: string, failures: number, lastAt: number])[];
}

interface QuarantineOptions {
  /** How long a guide is refused, in milliseconds, as it is set now; 0: nothing is refused. */
  readonly duration: () => number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Guides, and clients, that are remembered; beyond, those whose last failure is the oldest are forgotten. */
  readonly most?: number;
}

/** The failure from which on a client is suspended. */
const suspendingFailure = 2;
/** Milliseconds of the first suspension; each further failure doubles it. */
const firstSuspension = 60_000;
const longestSuspension = 3_600_000;
/** Milliseconds without a failure, and without a suspension, after which a client is forgotten. */
const clientMemory = 3_600_000;
/** Requests that ran together on an engine fail together: within so many milliseconds it is one failure. */
const oneFailure = 1_000;

/** Remembers which structured-output guides preceded engine failures, and which clients sent them. */
export class GuideQuarantine {
  readonly #duration: () => number;
  readonly #now: () => number;
  readonly #most: number;
  /** When each guide preceded a failure last; the oldest first. */
  readonly #guides = new Map<string, number>();
  readonly #clients = new Map<string, ClientRecord>();

  constructor({ duration, now = Date.now, most = 10_000 }: QuarantineOptions) {
    this.#duration = duration;
    this.#now = now;
    this.#most = most;
  }

  /** Whether guides are refused at all. */
  get isOn(): boolean {
    return this.#duration() > 0;
  }

  /** Puts a guide in quarantine, and counts the failure against the client to blame; undefined where guides are not refused. */
  note({ guide, client, engine, blamesClient, at }: GuideFailure): NotedFailure | undefined {
    const duration = this.#duration();
    if (duration === 0) return undefined;
    // Notes of other processes may arrive late.
    this.#keep(this.#guides, guide, Math.max(at, this.#guides.get(guide) ?? 0));
    if (!blamesClient) return { until: at + duration, suspendedUntil: undefined };
    const known = this.#client(client);
    const engines = new Map([...(known?.engines ?? [])].filter(([, failedAt]) => at - failedAt < oneFailure));
    const isCounted = !engines.has(engine);
    if (isCounted) engines.set(engine, at);
    const record = {
      failures: (known?.failures ?? 0) + (isCounted ? 1 : 0),
      lastAt: Math.max(at, known?.lastAt ?? 0),
      engines,
    };
    this.#keep(this.#clients, client, record);
    const isSuspended = isCounted && record.failures >= suspendingFailure;
    return { until: at + duration, suspendedUntil: isSuspended ? suspensionEnd(record) : undefined };
  }

  /** Why a guided request is refused now; undefined: it is not. The hash is computed only where it matters. */
  check(client: string, guide: () => string): GuideRefusal | undefined {
    const duration = this.#duration();
    if (duration === 0) return undefined;
    this.#forgetGuides(duration);
    const failedAt = this.#guides.size === 0 ? undefined : this.#guides.get(guide());
    if (failedAt !== undefined) return { kind: 'guide', failedAt, until: failedAt + duration };
    const record = this.#client(client);
    if (!record) return undefined;
    const until = suspensionEnd(record);
    return until > this.#now() ? { kind: 'client', failures: record.failures, until } : undefined;
  }

  state(): QuarantineState {
    return {
      guides: [...this.#guides],
      clients: [...this.#clients].map(([client, { failures, lastAt }]) => [client, failures, lastAt]),
    };
  }

  /** Takes over what another process remembers. */
  merge({ guides, clients }: QuarantineState): void {
    const failedAt = new Map(this.#guides);
    for (const [guide, at] of guides) failedAt.set(guide, Math.max(at, failedAt.get(guide) ?? 0));
    for (const [guide, at] of [...failedAt].toSorted(([, one], [, other]) => one - other))
      this.#keep(this.#guides, guide, at);
    for (const [client, failures, lastAt] of clients)
      if (lastAt > (this.#clients.get(client)?.lastAt ?? 0))
        this.#keep(this.#clients, client, { failures, lastAt, engines: new Map() });
  }

  #client(client: string): ClientRecord | undefined {
    const record = this.#clients.get(client);
    if (!record || this.#now() < suspensionEnd(record) + clientMemory) return record;
    this.#clients.delete(client);
    return undefined;
  }

  #forgetGuides(duration: number): void {
    for (const [guide, failedAt] of this.#guides) {
      if (this.#now() < failedAt + duration) return;
      this.#guides.delete(guide);
    }
  }

  #keep<Value>(values: Map<string, Value>, name: string, value: Value): void {
    values.delete(name);
    values.set(name, value);
    const [oldest] = values.size > this.#most ? values.keys() : [];
    if (oldest !== undefined) values.delete(oldest);
  }
}

/** When a client's suspension ends; the time of its failure where it has none. */
function suspensionEnd({ failures, lastAt }: Pick<ClientRecord, 'failures' | 'lastAt'>): number {
  if (failures < suspendingFailure) return lastAt;
  return lastAt + Math.min(firstSuspension * 2 ** (failures - suspendingFailure), longestSuspension);
}
