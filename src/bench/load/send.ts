import { now } from './clock.ts';
import { EventReader } from './event-reader.ts';
import { type HttpClient, utf8 } from './http-client.ts';
import type { ConnectionFailure, HttpConnection, ResponseHead, ResponseListener } from './http-connection.ts';
import { connectionFailed, type Endpoint, type Outcome } from './messages.ts';
import { CollectedResponse, refusalText } from './response.ts';

/** What every request of a load has in common. */
export interface Sender {
  readonly client: Pick<HttpClient, 'request' | 'giveBack'>;
  readonly endpoint: Endpoint;
  readonly isStreaming: boolean;
  readonly timeout: number;
  /** Whether the outcome contains the texts of the response. */
  readonly keepsTexts: boolean;
  /** Called for every event with text. */
  readonly onText: (at: number) => void;
  /** Cancels all open requests. */
  readonly stop: AbortSignal;
}

/** The paths of the endpoints. */
export const endpointPaths = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
} as const;

/** The error of a request that was cancelled because the load was stopped: not an error of the server. */
export const stoppedEarly = 'stopped before the end';

const longestRefusal = 64 * 1024;

/** Sends the bytes of `httpRequest` and reads the response to its end. Never rejects: errors are part of the outcome. */
export async function send(sender: Sender, index: number, request: Buffer): Promise<Outcome> {
  const exchange = new Exchange(sender, request);
  const error = await exchange.run();
  return { index, ...exchange.result(), error };
}

class Exchange implements ResponseListener {
  readonly #sender: Sender;
  readonly #bytes: Buffer;
  readonly #response: CollectedResponse;
  readonly #startedAt = now();
  #firstAt: number | undefined;
  #lastAt: number | undefined;
  /** When the current bytes arrived. */
  #readAt = 0;
  #events = 0;
  /** How many of them were reported to `onText`. */
  #reported = 0;
  #wasResent = false;
  #connection: HttpConnection | undefined;
  #head: ResponseHead | undefined;
  /** Reads the events of a stream. */
  #reader: EventReader | undefined;
  #isEnding = false;
  /** The body so far, if it is no stream. */
  #body = '';
  #settle: (error: string | undefined) => void = () => undefined;

  constructor(sender: Sender, bytes: Buffer) {
    this.#sender = sender;
    this.#bytes = bytes;
    this.#response = new CollectedResponse(sender.endpoint, sender.keepsTexts);
  }

  /** Resolves to the error. */
  async run(): Promise<string | undefined> {
    const { timeout, stop } = this.#sender;
    const stopped = (): void => this.#end(stoppedEarly);
    const timer = setTimeout(() => this.#end(`no complete response within ${timeout / 1000} s`), timeout);
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
      texts: this.#response.texts,
      promptTokens: this.#response.usage?.prompt,
      completionTokens: this.#response.usage?.completion,
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
      if (this.#isEnding ? this.#response.takeRest(text) : this.#response.takeEvent(text)) this.#events++;
    });
  }

  /** All events of one read have the same time. */
  onBody(text: string): void {
    if (this.#readAt === 0) this.#readAt = now();
    if (this.#reader) this.#reader.pushText(text);
    else if (isSuccess(this.#head?.status) || this.#body.length < longestRefusal) this.#body += text;
  }

  onRead(): void {
    if (this.#reader && this.#events > this.#reported) {
      this.#firstAt ??= this.#readAt;
      this.#lastAt = this.#readAt;
      for (; this.#reported < this.#events; this.#reported++) this.#sender.onText(this.#readAt);
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
    else if (this.#sender.isStreaming) this.#end(`not an event stream but ${contentType ?? 'no content type'}`);
    else {
      if (this.#response.takeWhole(utf8(this.#body))) this.#tookText();
      this.#end(this.#verdict());
    }
  }

  onFailure({ code, isInBody, wasIdle }: ConnectionFailure): void {
    // A reused connection may be closed just when a request is sent. The server has then not received it.
    if (wasIdle && !this.#wasResent) {
      this.#wasResent = true;
      this.#ask();
    } else this.#end(isInBody ? 'connection closed in the middle of the response' : `${connectionFailed}: ${code}`);
  }

  #tookText(): void {
    const at = now();
    this.#events++;
    this.#lastAt = at;
    this.#sender.onText(at);
  }

  #verdict(): string | undefined {
    if (this.#response.error !== undefined) return this.#response.error;
    if (!this.#response.isFinished) return 'the stream ended before the response was complete';
    return this.#events === 0 ? 'response without content' : undefined;
  }

  /** Only the first call counts. Closes the connection of a request that is still running. */
  #end(error: string | undefined): void {
    const settle = this.#settle;
    this.#settle = () => undefined;
    if (error === stoppedEarly || error?.startsWith('no complete response')) this.#connection?.destroy();
    settle(error);
  }
}

function isSuccess(status = 0): boolean {
  return status >= 200 && status <= 299;
}
