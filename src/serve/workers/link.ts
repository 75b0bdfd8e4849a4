import { deserialize, serialize } from 'node:v8';
import type { AskOptions, Link, ProcessResponses } from '../../link.ts';
import type { Messenger } from './messenger.ts';
import { type MetricHistory, metricsRequest } from './metric-history.ts';

/** A request to all workers. */
interface LinkRequest extends AskOptions {
  readonly request: string;
  /** Serialized. */
  readonly argument: string;
}

/** A worker that serves requests. */
export interface ReadyWorker {
  readonly number: number;
  readonly messenger: Messenger;
}

/** The workers, and their earlier metrics. */
interface LinkHost {
  readonly workers: () => readonly ReadyWorker[];
  readonly history: MetricHistory;
}

/** Milliseconds after which a worker without a response is left out. */
const responseTimeout = 2_000;

/** The link between workers: the primary forwards requests. */
export class WorkerLink implements Link {
  readonly #primary: Messenger;

  constructor(primary: Messenger) {
    this.#primary = primary;
  }

  register(request: string, responder: (argument: unknown) => unknown): void {
    this.#primary.on(`request.${request}`, async (argument) => packed(await responder(unpacked(argument))));
  }

  async askAll(request: string, argument?: unknown, options: AskOptions = {}): Promise<ProcessResponses> {
    const message: LinkRequest = { request, argument: packed(argument), ...options };
    return unpacked(await this.#primary.ask('ask-all', message)) as ProcessResponses;
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
export function hostLink(worker: Messenger, host: LinkHost): void {
  worker.on('ask-all', async (message) => packed(await askAll(message as LinkRequest, host)));
}

async function askAll(
  { request, argument, timeout = responseTimeout }: LinkRequest,
  { workers, history }: LinkHost,
): Promise<ProcessResponses> {
  const targets = workers();
  const settled = await Promise.allSettled(
    targets.map(async ({ number, messenger }) => {
      const response = unpacked(await messenger.ask(`request.${request}`, argument, { timeout }));
      if (request === metricsRequest) history.setMetrics(number, response);
      return response;
    }),
  );
  const responses = settled.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  const missing = settled.length - responses.length;
  history.addMissed(missing);
  if (request === metricsRequest) return { responses: history.parts(targets.length), missing };
  return { responses: responses.filter((value) => value !== undefined), missing };
}
