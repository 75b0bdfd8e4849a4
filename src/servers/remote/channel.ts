import type { SecureContextOptions } from 'node:tls';
import { FrameReader, frame, type OnMessage } from '../../kserve/grpc-frames.ts';
import { StreamFault } from '../../kserve/infer-codec.ts';
import { StatusError, statusCodes, statusName } from '../../kserve/status.ts';
import type { Connection } from './connection.ts';
import { Connector, type ConnectorOptions } from './connector.ts';
import { brokenConnection, cancelled, codeOfHttp, faulty, overdue, resetCall, statusMessage } from './faults.ts';
import type { Headers } from './http2/hpack-decoder.ts';
import { encodeHeader } from './http2/hpack-encoder.ts';
import type { Http2Request, StreamEnd, StreamListener } from './http2/http2-stream.ts';

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
  /** Each message of the answer. */
  readonly onMessage: OnMessage;
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
      const onMessage: OnMessage = (bytes, from, to) => {
        answer = bytes.subarray(from, to);
      };
      const onEnd = (fault: StatusError | undefined): void => {
        if (fault) reject(fault);
        else if (answer) resolve(answer);
        else reject(new StatusError('INTERNAL', 'The server ended the call without an answer.'));
      };
      const started = this.start({ ...call, onMessage, onEnd });
      if (started instanceof Promise) started.catch(reject);
    });
  }

  /**
   * Starts a call that is sent one message: at once where there is a connection. What fails before the call is sent throws
   * or rejects instead of ending the call. The call's listeners are not called before this returns.
   */
  start(call: Call): RunningCall | Promise<RunningCall> {
    if (call.signal?.aborted) throw cancelled();
    const deadline = call.timeout === undefined ? undefined : performance.now() + call.timeout;
    const { current } = this.#connector;
    if (current) return new Http2Call(current, call, { options: this.#options, deadline });
    return unlessOver(this.#connector.connection(), call).then((connection) => {
      if (call.signal?.aborted) throw cancelled();
      return new Http2Call(connection, call, { options: this.#options, deadline });
    });
  }

  close(): Promise<void> {
    return this.#connector.close();
  }
}

/** Milliseconds for a server to close a call that it has ended with a fault. */
const longestClose = 10_000;

/** The channel's options, and when this call must be over. */
interface CallSettings {
  readonly options: ChannelOptions;
  readonly deadline: number | undefined;
}

class Http2Call implements RunningCall, StreamListener {
  readonly #connection: Connection;
  readonly #request: Http2Request;
  readonly #call: Call;
  readonly #reader: FrameReader;
  #timer: NodeJS.Timeout | undefined;
  #status: StatusError | 'ok' | undefined;
  #hasEnded = false;
  /** Whether nobody hears any more of what comes, and the server has yet to close the call. */
  #isLeft = false;

  constructor(connection: Connection, call: Call, { options, deadline }: CallSettings) {
    this.#connection = connection;
    this.#call = call;
    this.#reader = new FrameReader('server', options.maxMessageSize);
    const timeout = deadline === undefined ? undefined : timeLeft(deadline);
    this.#request = connection.session.request(headerBlock(call, options, timeout), frame(call.message), this);
    connection.calls++;
    if (timeout !== undefined) this.#timer = setTimeout(this.#onDeadline, timeout);
    call.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  cancel(): void {
    if (!this.#hasEnded) this.#end(cancelled());
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  onHeaders(received: Headers): void {
    const status = Number(received[':status']);
    if (status !== 200)
      this.#end(new StatusError(codeOfHttp(status), `The server answered with HTTP status ${status}.`));
    else if (received['grpc-status'] !== undefined) this.onTrailers(received);
    else if (!received['content-type']?.startsWith('application/grpc'))
      this.#end(new StatusError('UNKNOWN', 'The server does not speak gRPC on this port.'));
  }

  onTrailers(received: Headers): void {
    const status = received['grpc-status'];
    if (status === undefined) return;
    const code = Number(status);
    if (code === 0) this.#status = 'ok';
    else if (code === statusCodes.DEADLINE_EXCEEDED && this.#call.timeout !== undefined)
      this.#status = overdue(this.#call.timeout);
    else this.#status = new StatusError(statusName(code), statusMessage(received['grpc-message']));
  }

  onData(bytes: Buffer, from: number, to: number): void {
    if (this.#hasEnded) return;
    try {
      this.#reader.push(bytes, from, to, this.#call.onMessage);
    } catch (error) {
      if (error instanceof StreamFault) this.#endWithServer(error);
      else
        this.#end(error instanceof StatusError ? error : new StatusError('INTERNAL', String(error), { cause: error }));
    }
  }

  onClose(end: StreamEnd): void {
    if (this.#isLeft) this.#forget();
    else if (this.#status instanceof StatusError) this.#end(this.#status);
    else if (end !== 'complete') this.#end('reset' in end ? resetCall(end.reset) : broken(end.broken));
    else if (this.#status === undefined) this.#end(faulty('The server ended the call without a status.'));
    else if (this.#reader.isInsideMessage) this.#end(faulty('The server ended the call inside a message.'));
    else this.#end(undefined);
  }

  readonly #onAbort = (): void => this.cancel();

  readonly #onDeadline = (): void => {
    this.#end(overdue(this.#call.timeout));
    this.#connection.probe();
  };

  #end(fault: StatusError | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#forget();
    if (fault) this.#request.cancel();
    this.#call.onEnd(fault);
  }

  /**
   * A server that told a fault in a message ends the call itself. The call is not reset meanwhile: Triton would hold the
   * model for ever, and could no longer unload it.
   */
  #endWithServer(fault: StreamFault): void {
    this.#hasEnded = true;
    this.#isLeft = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onOverdueClose, longestClose);
    this.#timer.unref();
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#request.resume();
    this.#call.onEnd(fault);
  }

  readonly #onOverdueClose = (): void => {
    this.#forget();
    this.#request.cancel();
  };

  #forget(): void {
    this.#isLeft = false;
    this.#connection.calls--;
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
  }
}

function broken(cause: Error | undefined): StatusError {
  return cause instanceof StatusError ? cause : brokenConnection(cause);
}

const longestTimer = 2 ** 31 - 1;

/** Whole milliseconds until a deadline, no more than a timer can hold. */
function timeLeft(deadline: number): number {
  return Math.min(Math.max(Math.ceil(deadline - performance.now()), 1), longestTimer);
}

/** Waits for a connection no longer than the call may take. */
function unlessOver<Value>(promise: Promise<Value>, call: Call): Promise<Value> {
  const { signal, timeout } = call;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelled());
    const onDeadline = (): void => reject(overdue(call.timeout));
    const timer = timeout === undefined ? undefined : setTimeout(onDeadline, Math.min(timeout, longestTimer));
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    void promise.then(resolve, reject).finally(settle);
  });
}

/** The headers that all calls of a path have in common, as they are sent. */
const commonBlocks = new WeakMap<ChannelOptions, Map<string, Buffer>>();

function headerBlock(call: Call, options: ChannelOptions, timeout: number | undefined): Buffer {
  const common = commonBlock(call.path, options);
  const parts = [common];
  for (const name in call.metadata)
    parts.push(encodeHeader(name.toLowerCase(), sendable(name, call.metadata[name] as string)));
  if (timeout !== undefined) parts.push(timeoutHeader(timeout));
  return parts.length === 1 ? common : Buffer.concat(parts);
}

function commonBlock(path: string, options: ChannelOptions): Buffer {
  const blocks = commonBlocks.get(options) ?? new Map<string, Buffer>();
  commonBlocks.set(options, blocks);
  const known = blocks.get(path);
  if (known) return known;
  const { host, port, secure, metadata } = options;
  const headers = {
    ':method': 'POST',
    ':scheme': secure ? 'https' : 'http',
    ':path': path,
    ':authority': `${host.includes(':') ? `[${host}]` : host}:${port}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': 'identity',
    'user-agent': 'conch',
    ...metadata,
  };
  const block = Buffer.concat(
    Object.entries(headers).map(([name, value]) => encodeHeader(name, sendable(name, value))),
  );
  blocks.set(path, block);
  return block;
}

/** A value that HTTP/2 can carry. */
function sendable(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^:?[\w!#$%&'*+.^`|~-]+$/.test(name)) return value;
  throw new StatusError(
    'INVALID_ARGUMENT',
    `The call cannot be sent: the header ${JSON.stringify(name)} has characters that no header may have.`,
  );
}

/** The header of the timeout that was asked for last: most calls have the same. */
let lastTimeout = { milliseconds: 0, header: encodeHeader('grpc-timeout', grpcTimeout(0)) };

function timeoutHeader(milliseconds: number): Buffer {
  if (lastTimeout.milliseconds !== milliseconds)
    lastTimeout = { milliseconds, header: encodeHeader('grpc-timeout', grpcTimeout(milliseconds)) };
  return lastTimeout.header;
}

/** At most eight digits: milliseconds, or seconds where those do not fit. */
function grpcTimeout(milliseconds: number): string {
  return milliseconds < 1e8 ? `${milliseconds}m` : `${Math.ceil(milliseconds / 1000)}S`;
}
