import type { Link } from '../../link.ts';
import type { Messenger } from './messenger.ts';

/** A question to all workers. */
interface Question {
  readonly question: string;
  readonly argument: unknown;
}

/** What all workers answered, without those that did not. */
interface Answers {
  readonly answers: readonly unknown[];
  readonly missing: number;
}

/** Milliseconds after which a worker that has not answered is left out. */
const longestAnswer = 2_000;

/** The link between workers: the primary passes questions on. */
export class WorkerLink implements Link {
  readonly #primary: Messenger;
  #unanswered = 0;

  constructor(primary: Messenger) {
    this.#primary = primary;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  register(question: string, answer: (argument: unknown) => unknown): void {
    this.#primary.on(`question.${question}`, answer);
  }

  async askAll(question: string, argument?: unknown): Promise<readonly unknown[]> {
    const asked: Question = { question, argument };
    const { answers, missing } = (await this.#primary.ask('ask-all', asked)) as Answers;
    this.#unanswered += missing;
    return answers;
  }
}

/** Passes the questions of a worker on to all of them. */
export function hostLink(worker: Messenger, workers: () => readonly Messenger[]): void {
  worker.on('ask-all', (given) => askAll(given as Question, workers()));
}

async function askAll({ question, argument }: Question, workers: readonly Messenger[]): Promise<Answers> {
  const settled = await Promise.allSettled(
    workers.map((worker) => worker.ask(`question.${question}`, argument, { timeout: longestAnswer })),
  );
  const given = settled.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  return { answers: given.filter((value) => value !== undefined), missing: settled.length - given.length };
}
