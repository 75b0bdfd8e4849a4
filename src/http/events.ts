import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { tellTiming } from './request-log.ts';
import type { ResponseWriter } from './response-writer.ts';

/** The headers of a stream of server-sent events. */
export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * Streams an answer, as server-sent events unless its writer says otherwise. The first events are awaited before the status is sent, so that an early
 * fault keeps its own; a later one is written into the stream.
 */
export async function sendEvents(
  reply: FastifyReply,
  events: GenerateEvents,
  { answer, signal }: { readonly answer: ResponseWriter; readonly signal: AbortSignal },
): Promise<void> {
  const first = await events.next();
  reply.hijack();
  const { request } = reply;
  const writer = new EventWriter(reply.raw, signal);
  try {
    tellTiming(request, reply);
    const { contentType = eventHeaders['content-type'] } = answer;
    const headers = { ...(reply.getHeaders() as Record<string, string>), ...eventHeaders, 'content-type': contentType };
    reply.raw.writeHead(200, headers);
    let text = answer.begin(first.done ? [] : first.value);
    for (let result = first; !result.done; ) {
      const written = text === '' ? undefined : writer.write(text);
      if (text !== '') request.watch.flushed();
      if (written) await written;
      result = await events.next();
      text = '';
      if (!result.done) for (const event of result.value) text += answer.write(event);
    }
    writer.end(text + (await answer.end()));
    request.watch.flushed();
  } catch (error) {
    const fault = ApiError.from(error);
    request.fault = fault;
    // A client that has left is told nothing; one whose request was ended from elsewhere is.
    if (!signal.aborted || signal.reason === fault) writer.end(await answer.fail(fault));
  } finally {
    await events.return?.();
  }
}

/** Streams events that are written already. */
export async function sendTexts(reply: FastifyReply, texts: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  reply.hijack();
  const writer = new EventWriter(reply.raw, signal);
  tellTiming(reply.request, reply);
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...eventHeaders });
  for await (const text of texts) {
    if (signal.aborted) return;
    const written = writer.write(text);
    if (written) await written;
  }
  writer.end('');
}

/**
 * Writes to a response. The chunks of the transfer encoding are framed here and go to the socket directly, the first one
 * behind the headers: that leaves out the response's own layers for every token.
 */
class EventWriter {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  #isBegun = false;

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
  }

  /** A promise when the client is slower than its answer: it resolves when there is room again. */
  write(text: string): Promise<void> | undefined {
    const response = this.#response;
    const socket = this.#directSocket();
    const hasRoom = socket ? writeChunk(socket, text) : response.write(text);
    return hasRoom ? undefined : this.#drained(response.socket ?? response);
  }

  end(text: string): void {
    if (this.#response.writableEnded) return;
    const socket = text === '' ? null : this.#directSocket();
    if (socket) writeChunk(socket, text);
    this.#response.end(socket ? undefined : text);
  }

  /** The client's socket with the headers on their way to it; null where the response has to write itself. */
  #directSocket(): Socket | null {
    const response = this.#response;
    const { socket } = response;
    if (socket === null || !response.chunkedEncoding || socket.destroyed) return null;
    if (!this.#isBegun) {
      // Headers and whatever follows them in this turn go out together.
      socket.cork();
      response.flushHeaders();
      process.nextTick(uncork, socket);
    }
    this.#isBegun = true;
    return socket;
  }

  #drained(target: Socket | ServerResponse): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve) => {
      const done = (): void => {
        target.off('drain', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      target.once('drain', done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}

/** Characters from which on it costs more to copy a text into its frame than to write the two apart. */
const longText = 2048;

/** One chunk of the transfer encoding. Text that is ASCII, as most is, needs no encoding on its way. */
function writeChunk(socket: Socket, text: string): boolean {
  const length = Buffer.byteLength(text);
  const encoding = length === text.length ? 'latin1' : 'utf8';
  const size = `${length.toString(16)}\r\n`;
  if (text.length < longText) return socket.write(`${size}${text}\r\n`, encoding);
  socket.cork();
  socket.write(size, 'latin1');
  socket.write(text, encoding);
  const hasRoom = socket.write('\r\n', 'latin1');
  socket.uncork();
  return hasRoom;
}
