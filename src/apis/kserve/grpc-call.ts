import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { requestId } from '../../http/request-id.ts';
import type { ClientBounds } from '../../http/slow-clients.ts';
import { FrameReader, frame, type OnMessage } from '../../kserve/grpc-frames.ts';
import { type StatusCode, StatusError, statusCodes } from '../../kserve/status.ts';
import { Cancellation, type Signal } from '../../signal.ts';
import { deadlineOf, encodedMessage, metadataOf } from './grpc-headers.ts';
import { GrpcOutput } from './grpc-output.ts';

/** Handles one call. */
export interface CallHandler {
  /** Each message of the client, in its order. */
  onMessage(bytes: Buffer): void;
  /** The client sends no more messages. */
  onHalfClose(): void;
  /** The server stops: it accepts nothing new, running requests may finish. */
  onDrain(): void;
  /** The client is slower than its responses. */
  onFull?(): void;
  /** The client has caught up. */
  onWritable?(): void;
}

/** How a call ended. */
export interface Outcome {
  readonly code: StatusCode;
  readonly message: string | undefined;
}

/** Limits of what a client may send, and how slowly it may read. */
export interface CallLimits extends Pick<ClientBounds, 'slowClientTimeout'> {
  /** Bytes of its largest message. */
  readonly maxMessageSize: number;
}

/** One gRPC call, seen from the server. */
export class GrpcCall {
  readonly path: string;
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly #stream: ServerHttp2Stream;
  readonly #messages: FrameReader;
  readonly #limits: CallLimits;
  readonly #encoding: string;
  readonly #abort = new Cancellation();
  readonly #output: GrpcOutput;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Messages are unpacked one after the other, so that they keep their order. */
  #unpacking: Promise<void> | undefined;
  #handler: CallHandler | undefined;
  #hasStarted = false;
  #hasEnded = false;
  #outcome: Outcome | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, limits: CallLimits) {
    this.path = String(headers[':path']);
    this.id = requestId(headers['x-request-id']);
    this.metadata = metadataOf(headers);
    this.#stream = stream;
    this.#limits = limits;
    this.#output = new GrpcOutput(stream, {
      slowClientTimeout: limits.slowClientTimeout,
      onFull: () => this.#handler?.onFull?.(),
      onWritable: () => this.#handler?.onWritable?.(),
    });
    this.#messages = new FrameReader('client', limits.maxMessageSize);
    this.#encoding = String(headers['grpc-encoding'] ?? 'identity');
    const timeout = deadlineOf(headers);
    if (timeout !== undefined) this.#timer = setTimeout(() => this.#onDeadline(), timeout);
    // A disconnect is handled by the close event that follows.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#onClose());
  }

  /** Aborts when the client cancels or disconnects, and when its deadline passes. */
  get signal(): Signal {
    return this.#abort;
  }

  /** How the call ended; undefined while it runs, and if the client disconnected before. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Starts to read. */
  handle(handler: CallHandler): void {
    this.#handler = handler;
    this.#stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#stream.on('end', () => this.#inOrder(() => this.#onEnd()));
  }

  drain(): void {
    if (!this.#hasEnded) this.#handler?.onDrain();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Whether the client is slower than its responses. */
  get isFull(): boolean {
    return this.#output.isFull;
  }

  /** Sends a message, together with the others of this turn of the event loop. */
  send(message: Uint8Array): void {
    if (this.#hasEnded || this.#stream.destroyed) return;
    this.#begin();
    this.#output.add(message);
  }

  /** Ends the call, with a last message or with an error. */
  end(outcome?: Uint8Array | StatusError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#output.writeAll();
    this.#output.close();
    if (!this.#stream.destroyed) this.#finish(outcome);
    // Cancels what still runs for this call.
    this.#abort.abort();
  }

  #finish(outcome: Uint8Array | StatusError | undefined): void {
    const error = outcome instanceof StatusError ? outcome : undefined;
    this.#outcome = { code: error?.code ?? 'OK', message: error?.message };
    const trailers = {
      'grpc-status': String(statusCodes[error?.code ?? 'OK']),
      ...(error ? { 'grpc-message': encodedMessage(error.message) } : {}),
    };
    if (error && !this.#hasStarted)
      this.#stream.respond({ ...responseHeaders, 'x-request-id': this.id, ...trailers }, { endStream: true });
    else {
      this.#begin();
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(trailers));
      if (outcome instanceof Uint8Array) this.#stream.end(frame(outcome));
      else this.#stream.end();
    }
    // The rest of the request is not needed, but the stream closes only after it is read.
    this.#stream.resume();
  }

  #begin(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#stream.respond({ ...responseHeaders, 'x-request-id': this.id }, { waitForTrailers: true });
  }

  #onData(chunk: Buffer): void {
    if (this.#hasEnded) return;
    try {
      this.#messages.push(chunk, 0, chunk.length, this.#onMessage);
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #onMessage: OnMessage = (chunk, from, to, isCompressed) => {
    const bytes = chunk.subarray(from, to);
    if (!isCompressed) {
      this.#inOrder(() => this.#handler?.onMessage(bytes));
      return;
    }
    const before = this.#unpacking ?? Promise.resolve();
    this.#unpacking = before
      .then(async () => {
        if (this.#hasEnded) return;
        const unpacked = await unpack(bytes, this.#encoding, this.#limits.maxMessageSize);
        if (!this.#hasEnded) this.#handler?.onMessage(unpacked);
      })
      .catch((error: unknown) => this.#fail(error));
  };

  #inOrder(action: () => void): void {
    const attempt = (): void => {
      try {
        if (!this.#hasEnded) action();
      } catch (error) {
        this.#fail(error);
      }
    };
    if (this.#unpacking) this.#unpacking = this.#unpacking.then(attempt);
    else attempt();
  }

  #onEnd(): void {
    if (this.#messages.isInsideMessage) throw new StatusError('INTERNAL', 'The call ended inside a message.');
    this.#handler?.onHalfClose();
  }

  #onDeadline(): void {
    this.end(new StatusError('DEADLINE_EXCEEDED', 'Deadline Exceeded'));
  }

  #onClose(): void {
    clearTimeout(this.#timer);
    this.#output.close();
    this.#hasEnded = true;
    this.#abort.abort();
  }

  #fail(error: unknown): void {
    this.end(error instanceof StatusError ? error : new StatusError('INTERNAL', 'Unexpected error in RPC handling'));
  }
}

/** Rejects a call that is not gRPC. */
export function refuseForeign(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE }, { endStream: true });
}

const responseHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': 'identity, deflate, gzip',
};

const unpackers: Readonly<Record<string, (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
};

async function unpack(bytes: Buffer, encoding: string, maxMessageSize: number): Promise<Buffer> {
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (!unpacker)
    throw new StatusError('UNIMPLEMENTED', `Message compression ${encoding} is not supported. Use gzip or deflate.`);
  try {
    return await unpacker(bytes, { maxOutputLength: maxMessageSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new StatusError('RESOURCE_EXHAUSTED', `Received message larger than max (${maxMessageSize})`);
    throw new StatusError('INTERNAL', `Unable to decompress a message: it is not valid ${encoding}.`);
  }
}
