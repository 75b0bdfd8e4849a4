import { ApiError } from '../../../errors.ts';
import type { GenerateContext } from '../../../generate/answer.ts';
import { ResponseEvents } from './response-events.ts';
import { beginAnswer, type ResponseJob } from './response-job.ts';
import type { ResponseKeeper } from './response-keeper.ts';
import type { ResponseObject } from './response-object.ts';

interface RunOptions {
  readonly job: ResponseJob;
  readonly context: GenerateContext;
  readonly keeper: ResponseKeeper;
  /** Is told what a response failed with, which no request can tell of. */
  readonly onFault: (error: ApiError, id: string) => void;
}

/** Some of the events of a response, for another process. */
export interface EventPage {
  readonly text: string;
  /** The number of the last event up to here. */
  readonly last: number;
  /** Whether no more will come. */
  readonly isOver: boolean;
}

/** Milliseconds that a page waits for events. */
const longestPage = 1_000;

/** A response that is made while nobody, or anybody, waits for it. */
export class BackgroundRun {
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #events: ResponseEvents;
  /** Every event so far; its place is its number. */
  readonly #written: string[] = [];
  #size = 0;
  #queued: ResponseObject | undefined;
  #isOver = false;
  #followers: (() => void)[] = [];
  #done: Promise<void> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#events = new ResponseEvents(options.job.options);
    this.#write(this.#events.queue());
    this.#queued = this.#events.queued();
  }

  get owner(): string {
    return this.#options.job.owner;
  }

  /** Characters of its events. */
  get size(): number {
    return this.#size;
  }

  /** As it is now. */
  response(): ResponseObject {
    return this.#queued ?? this.#events.response();
  }

  /** Begins to make it; resolves when it is complete and kept. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  /** Ends it before it is complete; a reason makes it a failed one. */
  async cancel(reason?: ApiError): Promise<void> {
    this.#stop.abort(reason);
    await this.#done;
  }

  /** The events behind a number, as they come. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    let wake = (): void => undefined;
    signal.addEventListener('abort', () => wake(), { once: true });
    let at = after + 1;
    while (!signal.aborted) {
      const text = this.#written.slice(at).join('');
      at = Math.max(at, this.#written.length);
      if (text !== '') yield text;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#followers.push(resolve);
        });
    }
  }

  /** The events behind a number, waiting a while for the first of them. */
  async page(after: number): Promise<EventPage> {
    const end = performance.now() + longestPage;
    for (let left = longestPage; !this.#isOver && this.#written.length <= after + 1 && left > 0; ) {
      await this.#news(left);
      left = end - performance.now();
    }
    const last = Math.max(after, this.#written.length - 1);
    return { text: this.#written.slice(after + 1).join(''), last, isOver: this.#isOver };
  }

  /** Resolves at the next event, and after so many milliseconds in any case. */
  #news(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#followers.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #run(): Promise<void> {
    const { job, context, keeper } = this.#options;
    let rename = (fault: ApiError): ApiError => fault;
    try {
      const begun = await beginAnswer(job, context, this.#stop.signal);
      ({ rename } = begun);
      this.#begin();
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

  #begin(): void {
    if (this.#queued === undefined) return;
    this.#queued = undefined;
    this.#write(this.#events.begin([]));
  }

  #abandon(fault: ApiError): void {
    this.#begin();
    const { aborted, reason } = this.#stop.signal;
    if (aborted) {
      this.#events.abandon(reason instanceof ApiError ? reason : 'cancelled');
      return;
    }
    this.#events.abandon(fault);
    this.#options.onFault(fault, this.#options.job.options.head.id);
  }

  #write(text: string): void {
    for (const event of text.split('\n\n')) if (event !== '') this.#written.push(`${event}\n\n`);
    this.#size += text.length;
    for (const wake of this.#followers.splice(0)) wake();
  }
}
