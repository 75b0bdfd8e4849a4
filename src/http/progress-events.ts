import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { eventHeaders } from './events.ts';
import { tellTiming } from './request-log.ts';

/** Milliseconds between two signs of life, for the proxies in between. */
const heartbeat = 15_000;

/** Tells how far long work is, as server-sent events. The status is sent with the first, so an early fault keeps its own. */
export class ProgressEvents {
  readonly #reply: FastifyReply;
  #timer: NodeJS.Timeout | undefined;
  #isBegun = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  write(event: unknown): void {
    const { raw } = this.#reply;
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#reply.hijack();
      tellTiming(this.#reply.request, this.#reply);
      raw.writeHead(200, { ...(this.#reply.getHeaders() as Record<string, string>), ...eventHeaders });
      this.#timer = setInterval(() => raw.write(': still at it\n\n'), heartbeat);
      raw.once('close', () => clearInterval(this.#timer));
    }
    raw.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  end(last: unknown): void {
    this.write(last);
    this.#finish('data: [DONE]\n\n');
  }

  /** As everywhere, a stream that failed has no `[DONE]`. */
  fail(fault: ApiError): void {
    this.write(fault.body());
    this.#finish();
  }

  #finish(text = ''): void {
    clearInterval(this.#timer);
    this.#reply.raw.end(text);
  }
}
