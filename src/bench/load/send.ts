import { Answer, refusalText } from './answer.ts';
import { now } from './clock.ts';
import { EventReader } from './event-reader.ts';
import { type HttpClient, utf8 } from './http-client.ts';
import type { ConnectionFailure, HttpConnection, ResponseHead, ResponseListener } from './http-connection.ts';
import { connectionFailed, type Endpoint, type Outcome } from './messages.ts';

/** What every request of a load has in common. */
export interface Sender {
  readonly client: Pick<HttpClient, 'request' | 'giveBack'>;
  readonly endpoint: Endpoint;
  readonly isStreaming: boolean;
  readonly timeout: number;
  /** Whether the outcome has the texts of the answer. */
  readonly keepsTexts: boolean;
  /** Called for every event that brings text. */
  readonly onText: (at: number) => void;
  /** Ends all that is open. */
  readonly stop: AbortSignal;
}

/** Where an endpoint is. */
export const endpointPaths = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
} as const;

/** What is said of a request that was cut off because all was stopped: no fault of the server. */
export const stoppedEarly = 'stopped before it had ended';

const longestRefusal = 64 * 1024;

/** Sends a request, as `httpRequest` writes it, and follows its answer to the end. Never rejects: what went wrong is part of the outcome. */
export async function send(sender: Sender, index: number, request: Buffer): Promise<Outcome> {
  const exchange = new Exchange(sender, request);
  const error = await exchange.run();
  return { index, ...exchange.result(), error };
}

class Exchange implements ResponseListener {
  readonly #sender: Sender;
  readonly #bytes: Buffer;
  readonly #answer: Answer;
  readonly #startedAt = now();
  #firstAt: number | undefined;
  #lastAt: number | undefined;
  /** When the bytes came that are being read. */
  #readAt = 0;
  #events = 0;
  /** How many of them have been told. */
  #told = 0;
  #wasResent = false;
  #connection: HttpConnection | undefined;
  #head: ResponseHead | undefined;
  /** Reads the events of a stream. */
  #reader: EventReader | undefined;
  #isEnding = false;
  /** What has come of a body that is no stream. */
  #body = '';
  #settle: (error: string | undefined) => void = () => undefined;

  constructor(sender: Sender, bytes: Buffer) {
    this.#sender = sender;
    this.#bytes = bytes;
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
    this.#connection = this.#sender.client.request(this.#bytes, this);
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    const isStream = (head.contentType ?? '').startsWith('text/event-stream');
    if (!isSuccess(head.status) || !isStream) return;
    this.#reader = new EventReader((data) => {
      const text = utf8(data);
      if (this.#isEnding ? this.#answer.takeRest(text) : this.#answer.takeEvent(text)) this.#events++;
    });
  }

  /** All events of one read came at the same time. */
  onBody(text: string): void {
    if (this.#readAt === 0) this.#readAt = now();
    if (this.#reader) this.#reader.pushText(text);
    else if (isSuccess(this.#head?.status) || this.#body.length < longestRefusal) this.#body += text;
  }

  onRead(): void {
    if (this.#reader && this.#events > this.#told) {
      this.#firstAt ??= this.#readAt;
      this.#lastAt = this.#readAt;
      for (; this.#told < this.#events; this.#told++) this.#sender.onText(this.#readAt);
    }
    this.#readAt = 0;
  }

  onEnd(): void {
    const { contentType, status = 0 } = this.#head ?? {};
    if (this.#connection) this.#sender.client.giveBack(this.#connection);
    if (this.#reader) {
      this.#isEnding = true;
      this.#readAt = now();
      this.#reader.end();
      this.onRead();
      this.#end(this.#verdict());
    } else if (!isSuccess(status)) this.#end(`HTTP ${status}: ${refusalText(utf8(this.#body))}`);
    else if (this.#sender.isStreaming) this.#end(`not a stream but ${contentType ?? 'no content type'}`);
    else {
      if (this.#answer.takeWhole(utf8(this.#body))) this.#tookText();
      this.#end(this.#verdict());
    }
  }

  onFailure({ code, isInBody, wasIdle }: ConnectionFailure): void {
    // A kept connection may have been closed just when it was used again: then nothing was asked yet.
    if (wasIdle && !this.#wasResent) {
      this.#wasResent = true;
      this.#ask();
    } else this.#end(isInBody ? 'connection closed in the middle of the answer' : `${connectionFailed}: ${code}`);
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

  /** The first end counts; what is left of a request that went wrong is cut off. */
  #end(error: string | undefined): void {
    const settle = this.#settle;
    this.#settle = () => undefined;
    if (error === stoppedEarly || error?.startsWith('no whole answer')) this.#connection?.destroy();
    settle(error);
  }
}

function isSuccess(status = 0): boolean {
  return status >= 200 && status <= 299;
}
