import { ApiError } from '../errors.ts';
import { Follower, type FollowSink } from './follower.ts';
import type { BackgroundWork, ResponseBody } from './growing-response.ts';
import type { ResponseKeeper } from './response-keeper.ts';

interface RunOptions {
  readonly work: BackgroundWork;
  readonly keeper: ResponseKeeper;
  /** Called with the error of a response, because no request returns it. */
  readonly onError: (error: ApiError, id: string) => void;
}

/** A page of the events of a response, for another process. */
export interface EventPage {
  readonly text: string;
  /** The sequence number of the last event so far. */
  readonly last: number;
  /** Whether no more events follow. */
  readonly isOver: boolean;
}

/** Milliseconds that a page waits for events. */
const longestPage = 1_000;

/** A response that runs in the background, with or without clients that follow it. */
export class BackgroundRun {
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #written: string[] = [];
  #size = 0;
  #queued: ResponseBody | undefined;
  #isOver = false;
  /** Called when there are more events. */
  readonly #listeners = new Set<() => void>();
  #done: Promise<void> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    const { growing } = options.work;
    this.#write(growing.queue());
    this.#queued = growing.queued();
  }

  get owner(): string {
    return this.#options.work.owner;
  }

  /** All events so far; the index is the sequence number. */
  get written(): readonly string[] {
    return this.#written;
  }

  /** Whether there are no more events. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The characters of its events. */
  get size(): number {
    return this.#size;
  }

  /** Its current state. */
  response(): ResponseBody {
    return this.#queued ?? this.#options.work.growing.response();
  }

  /** Runs it; resolves when it is complete and stored. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  /** Cancels it; with a reason, it fails instead. */
  async cancel(reason?: ApiError): Promise<void> {
    this.#stop.abort(reason);
    await this.#done;
  }

  /** Passes the events after a sequence number to a sink as they arrive; existing ones at once. */
  follow(after: number, sink: FollowSink): Pick<Follower, 'pause' | 'resume' | 'cancel'> {
    const follower: Follower = new Follower(this, after + 1, {
      text: (text) => sink.text(text),
      end: () => {
        this.#listeners.delete(follower.look);
        sink.end();
      },
    });
    this.#listeners.add(follower.look);
    follower.look();
    return {
      pause: () => follower.pause(),
      resume: () => follower.resume(),
      cancel: () => {
        follower.cancel();
        this.#listeners.delete(follower.look);
      },
    };
  }

  /** The events after a sequence number. Waits a while for the first one. */
  async page(after: number): Promise<EventPage> {
    const end = performance.now() + longestPage;
    for (let left = longestPage; !this.#isOver && this.#written.length <= after + 1 && left > 0; ) {
      await this.#news(left);
      left = end - performance.now();
    }
    const last = Math.max(after, this.#written.length - 1);
    return { text: this.#written.slice(after + 1).join(''), last, isOver: this.#isOver };
  }

  /** Resolves at the next event, or after this many milliseconds. */
  #news(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const hear = (): void => {
        this.#listeners.delete(hear);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(hear, milliseconds);
      this.#listeners.add(hear);
    });
  }

  async #run(): Promise<void> {
    const { work, keeper } = this.#options;
    const { growing } = work;
    let rename = (apiError: ApiError): ApiError => apiError;
    try {
      const started = await work.begin(this.#stop.signal);
      ({ rename } = started);
      this.#begin();
      await started.run((text) => this.#write(text));
      growing.complete();
    } catch (error) {
      this.#abandon(rename(ApiError.from(error)));
    }
    await keeper.keep(growing, work);
    this.#isOver = true;
    this.#write(growing.ending());
  }

  #begin(): void {
    if (this.#queued === undefined) return;
    this.#queued = undefined;
    this.#write(this.#options.work.growing.begin());
  }

  #abandon(error: ApiError): void {
    this.#begin();
    const { growing } = this.#options.work;
    const { aborted, reason } = this.#stop.signal;
    if (aborted) {
      growing.abandon(reason instanceof ApiError ? reason : 'cancelled');
      return;
    }
    growing.abandon(error);
    this.#options.onError(error, growing.response().id);
  }

  #write(text: string): void {
    for (const event of text.split('\n\n')) if (event !== '') this.#written.push(`${event}\n\n`);
    this.#size += text.length;
    for (const hear of this.#listeners) hear();
  }
}
