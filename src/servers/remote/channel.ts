import http2 from 'node:http2';
import type { SecureContextOptions } from 'node:tls';
import { StatusError, type StatusCode, statusName } from '../../kserve/status.ts';
import { MessageReader, frame } from './framing.ts';
import { Connector, type ConnectorOptions } from './connector.ts';

/** How calls on a channel are made; TLS when `secure` is given. */
export interface ChannelOptions extends Omit<ConnectorOptions, 'secure'> {
  readonly secure?: SecureContextOptions & { readonly servername?: string };
  /** Sent with every call. */
  readonly metadata: Readonly<Record<string, string>>;
  /** A larger message from the server fails its call. */
  readonly maxMessageSize: number;
}

/** What a call needs: bytes to send at once, and who hears of the answer. */
export interface Call {
  readonly path: string;
  readonly message: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; left out: no deadline. */
  readonly timeout?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Each message of the answer; the bytes are the listener's to keep. */
  onMessage(message: Buffer): void;
  /** The end, once: without a fault when the server said OK. */
  onEnd(fault: StatusError | undefined): void;
}

/** A running call. */
export interface RunningCall {
  cancel(): void;
  /** Stops reading: the flow-control window closes, and the server waits. */
  pause(): void;
  resume(): void;
}

/** gRPC over one HTTP/2 connection to one address: all calls go through here. */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #connector: Connector;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#connector = new Connector(options);
  }

  /** One message there, one message back. */
  unary(call: Omit<Call, 'onMessage' | 'onEnd'>): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const onMessage = (message: Buffer): void => {
        answer = message;
      };
      const onEnd = (fault: StatusError | undefined): void => {
        if (fault) reject(fault);
        else if (answer) resolve(answer);
        else reject(new StatusError('INTERNAL', 'The server ended the call without an answer.'));
      };
      this.start({ ...call, onMessage, onEnd }).catch(reject);
    });
  }

  /** Starts a call that is sent one message; a connection that cannot be had rejects instead of ending the call. */
  async start(call: Call): Promise<RunningCall> {
    if (call.signal?.aborted) throw cancelled();
    const session = await this.#connector.session(call.signal);
    return new Http2Call(session, call, this.#options);
  }

  close(): Promise<void> {
    return this.#connector.close();
  }
}

class Http2Call implements RunningCall {
  readonly #stream: http2.ClientHttp2Stream;
  readonly #call: Call;
  readonly #reader: MessageReader;
  #timer: NodeJS.Timeout | undefined;
  #status: StatusError | 'ok' | undefined;
  #hasEnded = false;

  constructor(session: http2.ClientHttp2Session, call: Call, options: ChannelOptions) {
    this.#call = call;
    this.#reader = new MessageReader(options.maxMessageSize);
    this.#stream = session.request(headers(call, options));
    this.#stream.on('response', (received) => this.#onHeaders(received));
    this.#stream.on('trailers', (received) => this.#onTrailers(received));
    this.#stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#stream.on('error', (error) => this.#end(brokenCall(error)));
    this.#stream.on('close', () => this.#onClose());
    this.#stream.end(frame(call.message));
    if (call.timeout !== undefined) this.#timer = setTimeout(this.#onDeadline, call.timeout);
    call.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  cancel(): void {
    this.#end(cancelled());
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  readonly #onAbort = (): void => this.cancel();

  readonly #onDeadline = (): void => {
    this.#end(new StatusError('DEADLINE_EXCEEDED', `No answer within ${this.#call.timeout} ms.`));
  };

  #onHeaders(received: http2.IncomingHttpHeaders): void {
    const status = Number(received[':status']);
    if (status !== 200) this.#end(new StatusError(codeOfHttp(status), `The server answered with HTTP status ${status}.`));
    else if (received['grpc-status'] !== undefined) this.#onTrailers(received);
    else if (!String(received['content-type']).startsWith('application/grpc'))
      this.#end(new StatusError('UNKNOWN', 'The server does not speak gRPC on this port.'));
  }

  #onTrailers(received: http2.IncomingHttpHeaders): void {
    const code = Number(received['grpc-status'] ?? Number.NaN);
    if (code === 0) this.#status = 'ok';
    else this.#status = new StatusError(statusName(code), statusMessage(received['grpc-message']));
  }

  #onData(chunk: Buffer): void {
    if (this.#hasEnded) return;
    try {
      this.#reader.push(chunk, this.#call.onMessage);
    } catch (error) {
      this.#end(error instanceof StatusError ? error : new StatusError('INTERNAL', String(error), { cause: error }));
    }
  }

  #onClose(): void {
    if (this.#status === 'ok') {
      const isCut = this.#reader.isInsideMessage;
      this.#end(isCut ? new StatusError('INTERNAL', 'The server ended the call inside a message.') : undefined);
    } else this.#end(this.#status ?? brokenCall(undefined));
  }

  #end(fault: StatusError | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    if (fault && !this.#stream.closed) this.#stream.close(http2.constants.NGHTTP2_CANCEL);
    this.#call.onEnd(fault);
  }
}

function headers(call: Call, options: ChannelOptions): http2.OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': call.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': 'identity',
    'user-agent': 'conch',
    ...(call.timeout === undefined ? {} : { 'grpc-timeout': `${Math.min(Math.ceil(call.timeout), 99_999_999)}m` }),
    ...options.metadata,
    ...call.metadata,
  };
}

function cancelled(): StatusError {
  return new StatusError('CANCELLED', 'The call was cancelled.');
}

function brokenCall(cause: unknown): StatusError {
  return new StatusError('UNAVAILABLE', 'The connection to the server broke.', { unreachable: true, cause });
}

/** As the gRPC specification maps HTTP statuses of answers that carry no gRPC status. */
function codeOfHttp(status: number): StatusCode {
  if (status === 400) return 'INTERNAL';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'UNIMPLEMENTED';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'UNAVAILABLE';
  return 'UNKNOWN';
}

/** The status message travels percent-encoded; one that is not decodable is shown as it came. */
function statusMessage(encoded: string | string[] | undefined): string {
  const text = Array.isArray(encoded) ? encoded.join(', ') : (encoded ?? '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
