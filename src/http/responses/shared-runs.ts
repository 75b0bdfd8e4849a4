import type { Link } from '../../link.ts';
import type { ResponseObject } from '../../openai/responses/response-object.ts';
import type { EventPage } from './background-run.ts';
import type { BackgroundRuns } from './background-runs.ts';

/** Which response is meant, and whose it is. */
interface Place {
  readonly owner: string;
  readonly id: string;
}

/** The responses that are made in the background of any process of this Conch. */
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

  /** A response as it is now; undefined where nobody makes it. */
  async now(place: Place): Promise<ResponseObject | undefined> {
    const [response] = await this.#link.askAll('response.now', place);
    return response as ResponseObject | undefined;
  }

  /** Ends a response that is being made, and gives what it came to; undefined where nobody makes it. */
  async cancel(place: Place): Promise<ResponseObject | undefined> {
    const [response] = await this.#link.askAll('response.cancel', place);
    return response as ResponseObject | undefined;
  }

  /** Ends a response, if it is being made, and forgets its events. */
  async forget(place: Place): Promise<void> {
    await this.#link.askAll('response.forget', place);
  }

  /** The events of a response behind a number, as they come; undefined where nobody has them. */
  async follow(
    place: Place,
    { after, signal }: { readonly after: number; readonly signal: AbortSignal },
  ): Promise<AsyncGenerator<string, void, undefined> | undefined> {
    const first = await this.#page(place, after);
    return first && this.#pages(place, first, signal);
  }

  async *#pages(place: Place, first: EventPage, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    for (let page = first; ; ) {
      if (page.text !== '') yield page.text;
      if (page.isOver || signal.aborted) return;
      const next = await this.#page(place, page.last);
      if (!next) {
        yield goneEvent(page.last + 1);
        return;
      }
      page = next;
    }
  }

  async #page(place: Place, after: number): Promise<EventPage | undefined> {
    const [page] = await this.#link.askAll('response.events', { ...place, after });
    return page as EventPage | undefined;
  }
}

/** The process that made the response has ended before it was complete. */
function goneEvent(number: number): string {
  const message = 'The process that made this response has ended.';
  const event = { type: 'error', code: 'server_error', message, param: null, sequence_number: number };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
