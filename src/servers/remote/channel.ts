import type { SecureContextOptions } from 'node:tls';
import { FrameReader, frame, type OnMessage } from '../../kserve/grpc-frames.ts';
import { StreamError } from '../../kserve/infer-codec.ts';
import { StatusError, statusCodes, statusName } from '../../kserve/status.ts';
import type { Signal } from '../../signal.ts';
import {
  cancelledError,
  codeOfHttp,
  connectionLostError,
  invalidCallError,
  resetError,
  statusMessage,
  timeoutError,
} from './call-errors.ts';
import { headerBlock } from './call-headers.ts';
import type { Connection } from './connection.ts';
import { Connector, type ConnectorOptions } from './connector.ts';
import { errorCodes } from './http2/frames.ts';
import type { Http2Headers } from './http2/hpack-decoder.ts';
import type { Http2Request, StreamEnd, StreamListener } from './http2/http2-stream.ts';

/** How calls on a channel are made; TLS when `secure` is given. */
export interface ChannelOptions extends Omit<ConnectorOptions, 'secure'> {
  readonly secure?: SecureContextOptions & { readonly servername?: string };
  /** Sent with every call. */
  readonly metadata: Readonly<Record<string, string>>;
  /** A larger message from the server fails its call. */
  readonly maxMessageSize: number;
}

/** A call: the bytes to send at once, and the callbacks for the response. */
export interface Call {
  readonly path: string;
  readonly message: Uint8Array;
  readonly signal?: Signal | undefined;
  /** Milliseconds; left out: no deadline. */
  readonly timeout?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Called for each message of the response. */
  readonly onMessage: OnMessage;
  /** Called once at the end: without an error if the status was OK. */
  onEnd(error: StatusError | undefined): void;
  /** Whether the server has sent everything of the response but its end. */
  isComplete?(): boolean;
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
  readonly #connect = (): Promise<Connection> => this.#connector.connection();

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#connector = new Connector(options);
  }

  /** Sends one message and returns the one message of the response. */
  unary(call: Omit<Call, 'onMessage' | 'onEnd'>): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let response: Buffer | undefined;
      const onMessage: OnMessage = (bytes, from, to) => {
        response = bytes.subarray(from, to);
      };
      const onEnd = (error: StatusError | undefined): void => {
        if (error) reject(error);
        else if (response) resolve(response);
        else reject(new StatusError('INTERNAL', 'The server ended the call without a response.'));
      };
      const started = this.start({ ...call, onMessage, onEnd });
      if (started instanceof Promise) started.catch(reject);
    });
  }

  /**
   * Starts a call with one message, at once if there is a connection. A failure before the call is sent throws or
   * rejects instead of ending the call. The callbacks of the call are not called before this returns.
   */
  start(call: Call): RunningCall | Promise<RunningCall> {
    if (call.signal?.aborted) throw cancelledError();
    const deadline = call.timeout === undefined ? undefined : performance.now() + call.timeout;
    const settings = { options: this.#options, deadline, connect: this.#connect };
    const { current } = this.#connector;
    if (current) return new Http2Call(current, call, settings);
    return unlessOver(this.#connector.connection(), call).then((connection) => {
      if (call.signal?.aborted) throw cancelledError();
      return new Http2Call(connection, call, settings);
    });
  }

  close(): Promise<void> {
    return this.#connector.close();
  }
}

/** Milliseconds for a server to close a call of which it has sent everything. */
const longestClose = 10_000;

/** How often a call is sent again after the server refused it unread, which it does when it closes the connection. */
const mostRefusals = 3;

/** The channel's options, the deadline of the call, and how to connect to send it again. */
interface CallSettings {
  readonly options: ChannelOptions;
  readonly deadline: number | undefined;
  readonly connect: () => Promise<Connection>;
}

class Http2Call implements RunningCall, StreamListener {
  readonly #call: Call;
  readonly #settings: CallSettings;
  readonly #reader: FrameReader;
  /** Undefined between a refusal and the next try. */
  #connection: Connection | undefined;
  #request: Http2Request | undefined;
  #refusals = 0;
  #isPaused = false;
  #timer: NodeJS.Timeout | undefined;
  #status: StatusError | 'ok' | undefined;
  #hasEnded = false;
  /** Whether the call has ended for its listener, and the server has yet to close it. */
  #isDetached = false;

  constructor(connection: Connection, call: Call, settings: CallSettings) {
    this.#call = call;
    this.#settings = settings;
    this.#reader = new FrameReader('server', settings.options.maxMessageSize);
    const timeout = this.#send(connection);
    if (timeout !== undefined) this.#timer = setTimeout(this.#onDeadline, timeout);
    call.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Returns the timeout that was sent to the server, in milliseconds. */
  #send(connection: Connection): number | undefined {
    const { options, deadline } = this.#settings;
    const timeout = deadline === undefined ? undefined : timeLeft(deadline);
    const block = headerBlock(this.#call, options, timeout);
    this.#request = connection.session.request(block, frame(this.#call.message), this);
    this.#connection = connection;
    connection.calls++;
    return timeout;
  }

  cancel(): void {
    this.#stop(cancelledError());
  }

  pause(): void {
    this.#isPaused = true;
    this.#request?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#request?.resume();
  }

  onHeaders(received: Http2Headers): void {
    const status = Number(received[':status']);
    if (status !== 200)
      this.#end(new StatusError(codeOfHttp(status), `The server responded with HTTP status ${status}.`));
    else if (received['grpc-status'] !== undefined) this.onTrailers(received);
    else if (!received['content-type']?.startsWith('application/grpc'))
      this.#end(
        new StatusError(
          'UNKNOWN',
          'The server does not speak gRPC on this port. Use the gRPC port of Triton, 8001 by default.',
        ),
      );
  }

  onTrailers(received: Http2Headers): void {
    const status = received['grpc-status'];
    if (status === undefined) return;
    const code = Number(status);
    if (code === 0) this.#status = 'ok';
    else if (code === statusCodes.DEADLINE_EXCEEDED && this.#call.timeout !== undefined)
      this.#status = timeoutError(this.#call.timeout);
    else this.#status = new StatusError(statusName(code), statusMessage(received['grpc-message']));
  }

  onData(bytes: Buffer, from: number, to: number): void {
    if (this.#hasEnded) return;
    try {
      this.#reader.push(bytes, from, to, this.#call.onMessage);
    } catch (error) {
      if (error instanceof StreamError) this.#endWithServer(error);
      else
        this.#end(error instanceof StatusError ? error : new StatusError('INTERNAL', String(error), { cause: error }));
    }
  }

  onClose(end: StreamEnd): void {
    if (this.#isDetached) this.#forget();
    else if (this.#status instanceof StatusError) this.#end(this.#status);
    else if (isRefused(end) && this.#refusals < mostRefusals) void this.#sendAgain();
    else if (end !== 'complete') this.#end('reset' in end ? resetError(end.reset) : connectionError(end.broken));
    else if (this.#status === undefined) this.#end(invalidCallError('The server ended the call without a status.'));
    else if (this.#reader.isInsideMessage) this.#end(invalidCallError('The server ended the call inside a message.'));
    else this.#end(undefined);
  }

  async #sendAgain(): Promise<void> {
    this.#refusals++;
    this.#releaseConnection();
    try {
      const connection = await this.#settings.connect();
      if (this.#hasEnded) return;
      this.#send(connection);
      if (this.#isPaused) this.#request?.pause();
    } catch (error) {
      this.#end(error as StatusError);
    }
  }

  readonly #onAbort = (): void => this.cancel();

  readonly #onDeadline = (): void => {
    const connection = this.#connection;
    this.#stop(timeoutError(this.#call.timeout));
    connection?.probe();
  };

  /** Ends the call from this side. */
  #stop(error: StatusError): void {
    if (this.#hasEnded) return;
    if (this.#call.isComplete?.()) this.#endWithServer(error);
    else this.#end(error);
  }

  #end(error: StatusError | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#forget();
    if (error) this.#request?.cancel();
    this.#call.onEnd(error);
  }

  /**
   * A server that has sent its last response, or an error in a message, ends the call itself. The call is not reset
   * meanwhile: Triton would hold the model forever and could no longer unload it.
   */
  #endWithServer(error: StatusError): void {
    this.#hasEnded = true;
    this.#isDetached = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onOverdueClose, longestClose);
    this.#timer.unref();
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#request?.resume();
    this.#call.onEnd(error);
  }

  readonly #onOverdueClose = (): void => {
    this.#forget();
    this.#request?.cancel();
  };

  #forget(): void {
    this.#isDetached = false;
    this.#releaseConnection();
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
  }

  #releaseConnection(): void {
    if (this.#connection) this.#connection.calls--;
    this.#connection = undefined;
  }
}

/** Whether the server reported that it did not process the call. */
function isRefused(end: StreamEnd): boolean {
  return typeof end === 'object' && 'reset' in end && end.reset === errorCodes.REFUSED_STREAM;
}

function connectionError(cause: Error | undefined): StatusError {
  return cause instanceof StatusError ? cause : connectionLostError(cause);
}

const longestTimer = 2 ** 31 - 1;

/** Whole milliseconds until a deadline, at most the limit of a timer. */
function timeLeft(deadline: number): number {
  return Math.min(Math.max(Math.ceil(deadline - performance.now()), 1), longestTimer);
}

/** Waits for a connection, at most until the timeout or the cancellation of the call. */
function unlessOver<Value>(promise: Promise<Value>, call: Call): Promise<Value> {
  const { signal, timeout } = call;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelledError());
    const onDeadline = (): void => reject(timeoutError(call.timeout));
    const timer = timeout === undefined ? undefined : setTimeout(onDeadline, Math.min(timeout, longestTimer));
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    void promise.then(resolve, reject).finally(settle);
  });
}
