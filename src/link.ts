type Responder = (argument: unknown) => unknown;

/** The responses of processes to a request. */
export interface Answers {
  readonly answers: readonly unknown[];
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
  register(question: string, answer: Responder): void;
  /** Sends a request to all processes, including this one. */
  askAll(question: string, argument?: unknown, options?: AskOptions): Promise<Answers>;
}

/** For a Conch of one process. */
export class LoneLink implements Link {
  readonly #responders = new Map<string, Responder>();

  register(question: string, answer: Responder): void {
    this.#responders.set(question, answer);
  }

  async askAll(question: string, argument?: unknown): Promise<Answers> {
    const answer: unknown = await this.#responders.get(question)?.(argument);
    return { answers: answer === undefined ? [] : [answer], missing: 0 };
  }
}
