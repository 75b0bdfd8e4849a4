type Responder = (argument: unknown) => unknown;

/** Asks every process of one Conch that answers requests, so that they can be seen as one. */
export interface Link {
  /** What this process answers to a question, or a promise of it; undefined says nothing. */
  register(question: string, answer: Responder): void;
  /** What all processes answer, this one too. One that fails, or takes too long, is left out and counted. */
  askAll(question: string, argument?: unknown): Promise<readonly unknown[]>;
  /** How many answers were left out so far. */
  readonly unanswered: number;
}

/** For a Conch of one process. */
export class LoneLink implements Link {
  readonly #responders = new Map<string, Responder>();
  readonly unanswered = 0;

  register(question: string, answer: Responder): void {
    this.#responders.set(question, answer);
  }

  async askAll(question: string, argument?: unknown): Promise<readonly unknown[]> {
    const answer: unknown = await this.#responders.get(question)?.(argument);
    return answer === undefined ? [] : [answer];
  }
}
