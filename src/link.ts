type Responder = (argument: unknown) => unknown;

/** The responses of processes to a request. */
export interface ProcessResponses {
  readonly responses: readonly unknown[];
  /** How many of them failed, or took too long. */
  readonly missing: number;
}

/** Options of a request to all processes. */
export interface AskOptions {
  /** Milliseconds that each process has; two seconds by default. */
  readonly timeout?: number;
}

/** Calls every process of one Conch that serves requests, so that they act as one. */
export interface Link {
  /** Sets the handler of a request in this process. Its result may be a promise; undefined adds no response. */
  register(request: string, responder: Responder): void;
  /** Sends a request to all processes, including this one. */
  askAll(request: string, argument?: unknown, options?: AskOptions): Promise<ProcessResponses>;
}

/** For a Conch of one process. */
export class SingleProcessLink implements Link {
  readonly #responders = new Map<string, Responder>();

  register(request: string, responder: Responder): void {
    this.#responders.set(request, responder);
  }

  async askAll(request: string, argument?: unknown): Promise<ProcessResponses> {
    const response: unknown = await this.#responders.get(request)?.(argument);
    return { responses: response === undefined ? [] : [response], missing: 0 };
  }
}
