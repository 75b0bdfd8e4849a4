import { ApiError } from '../errors.ts';
import type { Link } from '../link.ts';
import type { Signal } from '../signal.ts';
import type { EventPage } from './background-run.ts';
import type { BackgroundRuns } from './background-runs.ts';
import type { ResponseBody } from './growing-response.ts';

/** The id of a response, and its owner. */
interface ResponseKey {
  readonly owner: string;
  readonly id: string;
}

interface FollowOptions {
  /** The number of the last known event. */
  readonly after: number;
  readonly signal: Signal;
  /** Writes the event with this number which reports why no more events follow. */
  readonly lost: (number: number, message: string) => string;
}

/** How often an unresponsive process is asked, and milliseconds in which a process cancels a response. */
const mostAttempts = 10;
const longestEnd = 30_000;

/** The responses that run in the background of any process of this server. */
export class SharedRuns {
  readonly #link: Link;

  constructor(runs: BackgroundRuns, link: Link) {
    this.#link = link;
    const handle = (topic: string, work: (key: ResponseKey & { readonly after: number }) => unknown): void =>
      link.register(topic, (argument) => work(argument as ResponseKey & { after: number }));
    handle('response.now', ({ owner, id }) => runs.running(owner, id)?.response());
    handle('response.cancel', async ({ owner, id }) => {
      const run = runs.running(owner, id);
      await run?.cancel();
      return run?.response();
    });
    handle('response.forget', ({ owner, id }) => runs.forget(owner, id));
    handle('response.events', ({ owner, id, after }) => runs.followable(owner, id)?.page(after));
  }

  /** The current state of a response; undefined if it does not run. */
  async now(key: ResponseKey): Promise<ResponseBody | undefined> {
    return (await this.#ask('response.now', key)) as ResponseBody | undefined;
  }

  /** Cancels a response and returns its final state; undefined if it does not run. */
  async cancel(key: ResponseKey): Promise<ResponseBody | undefined> {
    // Not asked twice: a cancelled response does not run any more.
    const { responses: replies, missing } = await this.#link.askAll('response.cancel', key, { timeout: longestEnd });
    if (replies.length === 0 && missing > 0) throw workerTimeout();
    return replies[0] as ResponseBody | undefined;
  }

  /** Cancels a response that is in progress, and deletes its events. */
  async forget(key: ResponseKey): Promise<void> {
    await this.#link.askAll('response.forget', key, { timeout: longestEnd });
  }

  /** The events of a response after a sequence number, as they arrive; undefined if no process has them. */
  async follow(
    key: ResponseKey,
    { after, signal, lost }: FollowOptions,
  ): Promise<AsyncGenerator<string, void, undefined> | undefined> {
    const first = await this.#page(key, after);
    return first && this.#pages(key, first, { signal, lost });
  }

  async *#pages(
    key: ResponseKey,
    first: EventPage,
    { signal, lost }: Omit<FollowOptions, 'after'>,
  ): AsyncGenerator<string, void, undefined> {
    for (let page = first; ; ) {
      if (page.text !== '') yield page.text;
      if (page.isOver || signal.aborted) return;
      const next = await this.#page(key, page.last).catch((error: unknown) => ApiError.from(error));
      if (!next || next instanceof ApiError) {
        yield lost(page.last + 1, next?.message ?? 'The worker that generated this response has exited.');
        return;
      }
      page = next;
    }
  }

  async #page(key: ResponseKey, after: number): Promise<EventPage | undefined> {
    return (await this.#ask('response.events', { ...key, after })) as EventPage | undefined;
  }

  /** The reply of the process that has the response; undefined if none has it. */
  async #ask(topic: string, argument: ResponseKey & { readonly after?: number }): Promise<unknown> {
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const { responses: replies, missing } = await this.#link.askAll(topic, argument);
      if (replies.length > 0 || missing === 0) return replies[0];
    }
    throw workerTimeout();
  }
}

function workerTimeout(): ApiError {
  return new ApiError('server_not_ready', 'A worker is not responding. Try again later.', { retryAfter: 5 });
}
