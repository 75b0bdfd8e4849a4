import { ApiError } from '../../errors.ts';
import type { GenerateContext } from '../../generate/answer.ts';
import { ResponseEvents } from '../../openai/responses/response-events.ts';
import { type ResponseObject, responseObject } from '../../openai/responses/response-object.ts';
import { beginAnswer, type ResponseJob } from './response-job.ts';
import type { ResponseKeeper } from './response-keeper.ts';

interface RunOptions {
  readonly job: ResponseJob;
  readonly context: GenerateContext;
  readonly keeper: ResponseKeeper;
}

/** A response that is made while nobody, or anybody, waits for it. */
export class BackgroundRun {
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #events: ResponseEvents;
  /** Every event so far; its place is its number. */
  readonly #written: string[] = [];
  #hasBegun = false;
  #isOver = false;
  #followers: (() => void)[] = [];
  readonly #done: Promise<void>;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#events = new ResponseEvents(options.job.options);
    this.#done = this.#run();
  }

  get owner(): string {
    return this.#options.job.owner;
  }

  /** As it is now. */
  response(): ResponseObject {
    if (this.#hasBegun) return this.#events.response();
    return responseObject(this.#options.job.options.head, { status: 'queued', output: [] });
  }

  /** Resolves when it is complete and kept. */
  done(): Promise<void> {
    return this.#done;
  }

  /** Ends it before it is complete; a reason makes it a failed one. */
  async cancel(reason?: ApiError): Promise<void> {
    this.#stop.abort(reason);
    await this.#done;
  }

  /** The events behind a number, as they come. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    let at = after + 1;
    while (!signal.aborted) {
      const text = this.#written.slice(at).join('');
      at = Math.max(at, this.#written.length);
      if (text !== '') yield text;
      else if (this.#isOver) return;
      else await this.#changed(signal);
    }
  }

  async #run(): Promise<void> {
    const { job, context, keeper } = this.#options;
    let rename = (fault: ApiError): ApiError => fault;
    try {
      const begun = await beginAnswer(job, context, this.#stop.signal);
      ({ rename } = begun);
      this.#hasBegun = true;
      this.#write(this.#events.begin([]));
      for await (const batch of begun.answer.events)
        this.#write(batch.map((event) => this.#events.write(event)).join(''));
      this.#events.complete();
    } catch (error) {
      this.#abandon(rename(ApiError.from(error)));
    }
    await keeper.keep(this.#events, { owner: job.owner, input: job.input });
    this.#isOver = true;
    this.#write(this.#events.ending());
  }

  #abandon(fault: ApiError): void {
    if (!this.#hasBegun) this.#write(this.#events.begin([]));
    this.#hasBegun = true;
    const { aborted, reason } = this.#stop.signal;
    if (!aborted) this.#events.abandon(fault);
    else this.#events.abandon(reason instanceof ApiError ? reason : 'cancelled');
  }

  #write(text: string): void {
    for (const event of text.split('\n\n')) if (event !== '') this.#written.push(`${event}\n\n`);
    for (const wake of this.#followers.splice(0)) wake();
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#followers.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
