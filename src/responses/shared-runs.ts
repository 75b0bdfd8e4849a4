import { ApiError } from '../errors.ts';
import type { Link } from '../link.ts';
import type { Signal } from '../signal.ts';
import type { EventPage } from './background-run.ts';
import type { BackgroundRuns } from './background-runs.ts';
import type { ResponseBody } from './growing-response.ts';

/** The id of a response, and its owner. */
interface Place {
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
    const answer = (question: string, work: (place: Place & { readonly after: number }) => unknown): void =>
      link.register(question, (argument) => work(argument as Place & { after: number }));
    answer('response.now', ({ owner, id }) => runs.running(owner, id)?.response());
    answer('response.cancel', async ({ owner, id }) => {
      const run = runs.running(owner, id);
      await run?.cancel();
      return run?.response();
    });
    answer('response.forget', ({ owner, id }) => runs.forget(owner, id));
    answer('response.events', ({ owner, id, after }) => runs.followable(owner, id)?.page(after));
  }

  /** The current state of a response; undefined if it does not run. */
  async now(place: Place): Promise<ResponseBody | undefined> {
    return (await this.#ask('response.now', place)) as ResponseBody | undefined;
  }

  /** Cancels a response and returns its final state; undefined if it does not run. */
  async cancel(place: Place): Promise<ResponseBody | undefined> {
    // Not asked twice: a cancelled response does not run any more.
    const { answers, missing } = await this.#link.askAll('response.cancel', place, { timeout: longestEnd });
    if (answers.length === 0 && missing > 0) throw unanswered();
    return answers[0] as ResponseBody | undefined;
  }

  /** Cancels a response that is in progress, and deletes its events. */
  async forget(place: Place): Promise<void> {
    await this.#link.askAll('response.forget', place, { timeout: longestEnd });
  }

  /** The events of a response after a sequence number, as they arrive; undefined if no process has them. */
  async follow(
    place: Place,
    { after, signal, lost }: FollowOptions,
  ): Promise<AsyncGenerator<string, void, undefined> | undefined> {
    const first = await this.#page(place, after);
    return first && this.#pages(place, first, { signal, lost });
  }

  async *#pages(
    place: Place,
    first: EventPage,
    { signal, lost }: Omit<FollowOptions, 'after'>,
  ): AsyncGenerator<string, void, undefined> {
    for (let page = first; ; ) {
      if (page.text !== '') yield page.text;
      if (page.isOver || signal.aborted) return;
      const next = await this.#page(place, page.last).catch((error: unknown) => ApiError.from(error));
      if (!next || next instanceof ApiError) {
        yield lost(page.last + 1, next?.message ?? 'The worker that generated this response has exited.');
        return;
      }
      page = next;
    }
  }

  async #page(place: Place, after: number): Promise<EventPage | undefined> {
    return (await this.#ask('response.events', { ...place, after })) as EventPage | undefined;
  }

  /** The reply of the process that has the response; undefined if none has it. */
  async #ask(question: string, argument: Place & { readonly after?: number }): Promise<unknown> {
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const { answers, missing } = await this.#link.askAll(question, argument);
      if (answers.length > 0 || missing === 0) return answers[0];
    }
    throw unanswered();
  }
}

function unanswered(): ApiError {
  return new ApiError('server_not_ready', 'A worker is not responding. Retry later.', { retryAfter: 5 });
}
