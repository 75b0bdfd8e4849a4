import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { eventHeaders } from './events.ts';
import { tellTiming } from './request-log.ts';

/** Milliseconds between keep-alive comments, for proxies. */
const heartbeat = 15_000;

/** Reports progress as server-sent events. The first one sends the status, so an early error has its own. */
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
      this.#timer = setInterval(() => raw.write(': keep-alive\n\n'), heartbeat);
      raw.once('close', () => clearInterval(this.#timer));
    }
    raw.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  end(last: unknown): void {
    this.write(last);
    this.#finish('data: [DONE]\n\n');
  }

  /** A failed stream has no `[DONE]`, like all streams. */
  fail(fault: ApiError): void {
    this.write(fault.body());
    this.#finish();
  }

  #finish(text = ''): void {
    clearInterval(this.#timer);
    this.#reply.raw.end(text);
  }
}
