import { deserialize, serialize } from 'node:v8';
import type { Answers, AskOptions, Link } from '../../link.ts';
import type { Messenger } from './messenger.ts';
import { type MetricHistory, metricsQuestion } from './metric-history.ts';

/** A request to all workers. */
interface Question extends AskOptions {
  readonly question: string;
  /** Serialized. */
  readonly argument: string;
}

/** A worker that serves requests. */
export interface ReadyWorker {
  readonly number: number;
  readonly messenger: Messenger;
}

/** The workers, and their earlier metrics. */
interface Asked {
  readonly workers: () => readonly ReadyWorker[];
  readonly history: MetricHistory;
}

/** Milliseconds after which a worker without a response is left out. */
const longestAnswer = 2_000;

/** The link between workers: the primary forwards requests. */
export class WorkerLink implements Link {
  readonly #primary: Messenger;

  constructor(primary: Messenger) {
    this.#primary = primary;
  }

  register(question: string, answer: (argument: unknown) => unknown): void {
    this.#primary.on(`question.${question}`, async (argument) => packed(await answer(unpacked(argument))));
  }

  async askAll(question: string, argument?: unknown, options: AskOptions = {}): Promise<Answers> {
    const asked: Question = { question, argument: packed(argument), ...options };
    return unpacked(await this.#primary.ask('ask-all', asked)) as Answers;
  }
}

/** These messages are few and may contain values that JSON does not have, for example NaN in metrics. */
function packed(value: unknown): string {
  return serialize(value).toString('base64');
}

function unpacked(text: unknown): unknown {
  return deserialize(Buffer.from(text as string, 'base64'));
}

/** Forwards the requests of a worker to all workers. */
export function hostLink(worker: Messenger, asked: Asked): void {
  worker.on('ask-all', async (given) => packed(await askAll(given as Question, asked)));
}

async function askAll(
  { question, argument, timeout = longestAnswer }: Question,
  { workers, history }: Asked,
): Promise<Answers> {
  const targets = workers();
  const settled = await Promise.allSettled(
    targets.map(async ({ number, messenger }) => {
      const answer = unpacked(await messenger.ask(`question.${question}`, argument, { timeout }));
      if (question === metricsQuestion) history.told(number, answer);
      return answer;
    }),
  );
  const given = settled.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  const missing = settled.length - given.length;
  history.missed(missing);
  if (question === metricsQuestion) return { answers: history.parts(targets.length), missing };
  return { answers: given.filter((value) => value !== undefined), missing };
}
