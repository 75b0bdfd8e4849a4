import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Client } from '../target.ts';
import { Answer, refusalText } from './answer.ts';
import { now } from './clock.ts';
import { EventReader } from './event-reader.ts';
import { connectionFailed, type Endpoint, type Outcome } from './messages.ts';

/** What every request of a load has in common. */
export interface Sender {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly isStreaming: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  /** Whether the outcome has the texts of the answer. */
  readonly keepsTexts: boolean;
  /** Called for every event that brings text. */
  readonly onText: (at: number) => void;
  /** Ends all that is open. */
  readonly stop: AbortSignal;
}

const paths = { chat: '/v1/chat/completions', completions: '/v1/completions', embeddings: '/v1/embeddings' } as const;
/** What is said of a request that was cut off because all was stopped: no fault of the server. */
export const stoppedEarly = 'stopped before it had ended';

const longestRefusal = 64 * 1024;

/** Sends one request and follows its answer to the end. Never rejects: what went wrong is part of the outcome. */
export async function send(sender: Sender, index: number, body: Buffer): Promise<Outcome> {
  const exchange = new Exchange(sender, body);
  const error = await exchange.run();
  return { index, ...exchange.result(), error };
}

class Exchange {
  readonly #sender: Sender;
  readonly #body: Buffer;
  readonly #answer: Answer;
  readonly #startedAt = now();
  #firstAt: number | undefined;
  #lastAt: number | undefined;
  #events = 0;
  #isOver = false;
  #wasResent = false;
  #request: ClientRequest | undefined;
  #settle: (error: string | undefined) => void = () => undefined;

  constructor(sender: Sender, body: Buffer) {
    this.#sender = sender;
    this.#body = body;
    this.#answer = new Answer(sender.endpoint, sender.keepsTexts);
  }

  /** Gives what went wrong. */
  async run(): Promise<string | undefined> {
    const { timeout, stop } = this.#sender;
    const stopped = (): void => this.#end(stoppedEarly);
    const timer = setTimeout(() => this.#end(`no whole answer within ${timeout / 1000} s`), timeout);
    stop.addEventListener('abort', stopped);
    try {
      return await new Promise<string | undefined>((resolve) => {
        this.#settle = resolve;
        if (stop.aborted) stopped();
        else this.#ask();
      });
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', stopped);
    }
  }

  result(): Omit<Outcome, 'index' | 'error'> {
    return {
      startedAt: this.#startedAt,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      events: this.#events,
      wasResent: this.#wasResent,
      texts: this.#answer.texts,
      promptTokens: this.#answer.usage?.prompt,
      completionTokens: this.#answer.usage?.completion,
    };
  }

  #ask(): void {
    const { client, endpoint, headers } = this.#sender;
    const request = client.request(paths[endpoint], {
      method: 'POST',
      headers: { ...headers, 'content-length': this.#body.length },
    });
    this.#request = request;
    request.on('response', (response) => this.#receive(response));
    let readBefore = 0;
    request.on('socket', (socket) => (readBefore = socket.bytesRead));
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#isOver) return;
      // A kept connection may have been closed just when it was used again: then nothing was asked yet.
      const wasIdle = request.reusedSocket && request.socket?.bytesRead === readBefore;
      if (wasIdle && error.code === 'ECONNRESET' && !this.#wasResent) {
        this.#wasResent = true;
        this.#ask();
      } else this.#end(`${connectionFailed}: ${error.code ?? error.message}`);
    });
    request.end(this.#body);
  }

  #receive(response: IncomingMessage): void {
    const { statusCode: status = 0, headers } = response;
    const isStream = (headers['content-type'] ?? '').startsWith('text/event-stream');
    response.on('error', () => this.#end('connection closed in the middle of the answer'));
    if (!isSuccess(status)) {
      this.#gather(response, (text) => this.#end(`HTTP ${status}: ${refusalText(text)}`));
    } else if (isStream) this.#follow(response);
    else if (this.#sender.isStreaming) {
      this.#gather(response, () => this.#end(`not a stream but ${headers['content-type'] ?? 'no content type'}`));
    } else {
      this.#gather(response, (text) => {
        if (this.#answer.takeWhole(text)) this.#tookText();
        this.#end(this.#verdict());
      });
    }
  }

  /** All events of one read came at the same time. */
  #follow(response: IncomingMessage): void {
    let hasText = false;
    let isEnd = false;
    const reader = new EventReader((data) => {
      if (!(isEnd ? this.#answer.takeRest(data) : this.#answer.takeEvent(data))) return;
      hasText = true;
      this.#events++;
    });
    const timed = (read: () => void): void => {
      const before = this.#events;
      const at = now();
      hasText = false;
      read();
      if (!hasText) return;
      this.#firstAt ??= at;
      this.#lastAt = at;
      for (let count = before; count < this.#events; count++) this.#sender.onText(at);
    };
    response.on('data', (bytes: Buffer) => timed(() => reader.push(bytes)));
    response.on('end', () => {
      isEnd = true;
      timed(() => reader.end());
      this.#end(this.#verdict());
    });
  }

  #tookText(): void {
    const at = now();
    this.#events++;
    this.#lastAt = at;
    this.#sender.onText(at);
  }

  #verdict(): string | undefined {
    if (this.#answer.error !== undefined) return this.#answer.error;
    if (!this.#answer.isFinished) return 'the stream ended before the answer did';
    return this.#events === 0 ? 'an answer without content' : undefined;
  }

  #gather(response: IncomingMessage, onEnd: (text: string) => void): void {
    const pieces: Buffer[] = [];
    const isOk = isSuccess(response.statusCode);
    let length = 0;
    response.on('data', (piece: Buffer) => {
      length += piece.length;
      if (isOk || length <= longestRefusal) pieces.push(piece);
    });
    response.on('end', () => onEnd(Buffer.concat(pieces).toString('utf8')));
  }

  /** The first end counts; what is left of a request that went wrong is cut off. */
  #end(error: string | undefined): void {
    const settle = this.#settle;
    this.#settle = () => undefined;
    this.#isOver = true;
    if (error !== undefined && !error.startsWith('HTTP ')) this.#request?.destroy();
    settle(error);
  }
}

function isSuccess(status = 0): boolean {
  return status >= 200 && status <= 299;
}
