import type { FastifyReply } from 'fastify';
import type { ApiError } from '../errors.ts';
import { eventHeaders } from './events.ts';
import { setServerTiming } from './request-log.ts';

/** Milliseconds between keep-alive comments, for proxies. */
const heartbeat = 15_000;

/** Reports progress as server-sent events. The first one sends the status, so an early error has its own. */
export class ProgressEvents {
  readonly #reply: FastifyReply;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  write(event: unknown): void {
    const { raw } = this.#reply;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#reply.hijack();
      setServerTiming(this.#reply.request, this.#reply);
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
  fail(error: ApiError): void {
    this.write(error.body());
    this.#finish();
  }

  #finish(text = ''): void {
    clearInterval(this.#timer);
    this.#reply.raw.end(text);
  }
}
