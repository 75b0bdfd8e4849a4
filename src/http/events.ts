import type { FastifyReply } from 'fastify';
import type { TokenLogprob } from '../contracts/contract.ts';
import type { EventSink, GenerateEvent, Generation, OtherEvent, RunningGeneration } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ClientOutput } from './client-output.ts';
import { setServerTiming } from './request-log.ts';
import type { ResponseWriter } from './response-writer.ts';
import { flushAfterTurn, type TurnOutput } from './turn-output.ts';

/** The headers of a stream of server-sent events. */
export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

interface StreamedResponse {
  readonly writer: ResponseWriter;
  readonly signal: Signal;
}

/**
 * Streams a response, as server-sent events unless its writer has another content type. The status is sent with the
 * first events, so an early error rejects and has its own status; a later one is written into the stream.
 */
export function sendEvents(reply: FastifyReply, generation: Generation, response: StreamedResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    new EventStream(reply, response, { resolve, reject }).start(generation);
  });
}

interface PromiseCallbacks {
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes the events of a generation to its client as they come. */
class EventStream implements EventSink, TurnOutput {
  readonly #reply: FastifyReply;
  readonly #writer: ResponseWriter;
  readonly #signal: Signal;
  readonly #callbacks: PromiseCallbacks;
  readonly #output: ClientOutput;
  #running: RunningGeneration | undefined;
  /** The events of the first turn; undefined once the status is sent. */
  #first: GenerateEvent[] | undefined = [];
  /** Whether one of them is visible to the client. */
  #hasContent = false;
  #isOver = false;

  constructor(reply: FastifyReply, { writer, signal }: StreamedResponse, callbacks: PromiseCallbacks) {
    this.#reply = reply;
    this.#writer = writer;
    this.#signal = signal;
    this.#callbacks = callbacks;
    const { watch } = reply.request;
    this.#output = new ClientOutput(reply.raw, { source: () => this.#running, onFlush: (now) => watch.flushed(now) });
  }

  start(generation: Generation): void {
    this.#running = generation.start(this);
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    if (this.#isOver) return;
    if (this.#first) this.#hold(this.#first, { type: 'text-delta', choice, text, tokens, logprobs });
    else this.#output.append(this.#writer.delta(choice, text, tokens, logprobs));
  }

  event(event: OtherEvent): void {
    if (this.#isOver) return;
    if (this.#first) this.#hold(this.#first, event);
    else this.#output.append(this.#writer.write(event));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#close(() => this.#writer.end()).catch((error: unknown) => this.#writeError(error));
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#first && !this.#hasContent) this.#callbacks.reject(error);
    else this.#writeError(error);
  }

  /** At the end of the first turn: sends the status and the events so far. */
  flush(now: number): void {
    if (this.#isOver || !this.#first) return;
    try {
      this.#open(this.#first);
      this.#output.flush(now);
    } catch (error) {
      this.#running?.cancel();
      this.fail(error);
    }
  }

  #hold(first: GenerateEvent[], event: GenerateEvent): void {
    first.push(event);
    // The prompt length does not need the status yet: an error may still change it.
    if (this.#hasContent || event.type === 'prompt-tokens' || event.type === 'prompt-ids') return;
    this.#hasContent = true;
    flushAfterTurn(this);
  }

  #open(events: readonly GenerateEvent[]): void {
    this.#first = undefined;
    openStream(this.#reply, this.#writer.contentType);
    this.#output.append(this.#writer.begin(events));
  }

  /** Writes the error of a response, unless the client disconnected. A request that Conch cancelled gets its error. */
  #writeError(reason: unknown): void {
    const error = ApiError.from(reason);
    this.#reply.request.error = error;
    if (!this.#signal.aborted || this.#signal.reason === error)
      this.#close(() => this.#writer.fail(error)).catch((broken: unknown) => this.#callbacks.reject(broken));
    else {
      this.#output.close();
      this.#callbacks.resolve();
    }
  }

  /** Writes the end of the stream, which may be asynchronous. */
  async #close(closing: () => string | Promise<string>): Promise<void> {
    if (this.#first) this.#open(this.#first);
    const last = closing();
    this.#output.end(typeof last === 'string' ? last : await last);
    this.#callbacks.resolve();
  }
}

/** Sends the status and the headers of a stream. */
export function openStream(reply: FastifyReply, contentType = eventHeaders['content-type']): void {
  reply.hijack();
  setServerTiming(reply.request, reply);
  // Fastify creates a new object on each call.
  const headers = reply.getHeaders() as Record<string, string>;
  headers['content-type'] = contentType;
  headers['cache-control'] = eventHeaders['cache-control'];
  headers['x-accel-buffering'] = eventHeaders['x-accel-buffering'];
  reply.raw.writeHead(200, headers);
}
