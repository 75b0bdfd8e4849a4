type Responder = (argument: unknown) => unknown;

/** What processes answered to a question. */
export interface Answers {
  readonly answers: readonly unknown[];
  /** How many of them failed, or took too long. */
  readonly missing: number;
}

/** How a question is asked. */
export interface AskOptions {
  /** Milliseconds that each process has; two seconds where nothing is said. */
  readonly timeout?: number;
}

/** Asks every process of one Conch that answers requests, so that they can be seen as one. */
export interface Link {
  /** What this process answers to a question, or a promise of it; undefined says nothing. */
  register(question: string, answer: Responder): void;
  /** What all processes answer, this one too. */
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
