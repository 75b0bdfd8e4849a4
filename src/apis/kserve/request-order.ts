import type { InferenceServer, InferRequest } from '../../kserve/server.ts';

/** The position of one request in the order of its stream. */
export interface OrderPosition {
  /** Resolves when this request may start; undefined: now. The requests of one sequence run one after the other. */
  sequenceTurn(): Promise<unknown> | undefined;
  /** The server has finished this request. Its response may still wait for its turn. */
  markFinished(): void;
  /** Resolves when the response may be sent; undefined: now. */
  turn(): Promise<void> | undefined;
  leave(): void;
}

interface Entry {
  readonly request: InferRequest;
  readonly finished: Promise<void>;
  readonly ended: Promise<void>;
}

/**
 * Sends responses in Triton's order: models with one response per request respond in the order of their requests,
 * decoupled ones as their responses arrive.
 */
export class RequestOrder {
  readonly #server: InferenceServer;
  readonly #running = new Set<Entry>();
  readonly #decoupled = new Map<string, Promise<boolean>>();

  constructor(server: InferenceServer) {
    this.#server = server;
  }

  enter(request: InferRequest): OrderPosition {
    const finished = withResolver();
    const ended = withResolver();
    const earlier = [...this.#running];
    const entry = { request, finished: finished.promise, ended: ended.promise };
    this.#running.add(entry);
    return {
      sequenceTurn: () => {
        const sequence = sequenceOf(request);
        if (sequence === undefined) return undefined;
        const before = earlier.filter((other) => sequenceOf(other.request) === sequence);
        return before.length === 0 ? undefined : Promise.all(before.map((other) => other.finished));
      },
      markFinished: finished.resolve,
      turn: () => (earlier.length === 0 ? undefined : this.#afterEarlier(request, earlier)),
      leave: () => {
        this.#running.delete(entry);
        finished.resolve();
        ended.resolve();
      },
    };
  }

  async #afterEarlier(request: InferRequest, earlier: readonly Entry[]): Promise<void> {
    if (await this.#isDecoupled(request)) return;
    for (const other of earlier) if (!(await this.#isDecoupled(other.request))) await other.ended;
  }

  /** Requested once per model and stream, and only if two requests run at once. */
  #isDecoupled({ model, version = '' }: InferRequest): Promise<boolean> {
    const key = JSON.stringify([model, version]);
    const known = this.#decoupled.get(key);
    if (known) return known;
    const lookup = this.#server.call('ModelConfig', { name: model, version }).then(
      ({ config }) => config.model_transaction_policy?.decoupled ?? false,
      () => false,
    );
    this.#decoupled.set(key, lookup);
    return lookup;
  }
}

function sequenceOf({ model, parameters }: InferRequest): string | undefined {
  const id = parameters?.['sequence_id'];
  return id === undefined || id === 0 || id === '' ? undefined : JSON.stringify([model, id]);
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
