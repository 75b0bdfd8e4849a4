import net, { type Socket } from 'node:net';
import tls from 'node:tls';

/** The address of a connection; with TLS if `secure` is set. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
  readonly secure?: { readonly ca?: string | undefined; readonly rejectUnauthorized: boolean } | undefined;
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string | undefined;
  /** The whole head, for reports that show it. */
  readonly text: string;
}

/** Receives a response. Texts are latin1, one character per byte: most of them are only searched. */
export interface ResponseListener {
  onHead(head: ResponseHead): void;
  onBody(text: string): void;
  /** Called after all parts of one read. */
  onRead(): void;
  onEnd(): void;
  /** The response failed or was cut off. The last call. */
  onFailure(failure: ConnectionFailure): void;
}

/** Why a connection failed during a request. */
export interface ConnectionFailure {
  /** Node's error code, or the message. */
  readonly code: string;
  /** Whether the head of the response had arrived. */
  readonly isInBody: boolean;
  /** Whether the connection was reused, and nothing of this response had arrived. */
  readonly wasIdle: boolean;
}

/** Shared by all sockets: its content is processed before the next read. */
const sharedBuffer = Buffer.allocUnsafeSlow(256 * 1024);
const mostHeadBytes = 64 * 1024;

type State = 'idle' | 'head' | 'chunks' | 'length' | 'close' | 'trailers';

/**
 * One HTTP/1.1 connection, one request at a time. It needs a fraction of the CPU time of node:http: on a small machine,
 * an expensive client would distort the measurement.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #listener: ResponseListener | undefined;
  #state: State = 'idle';
  /** The start of an incomplete head or line. */
  #unread = '';
  /** Missing bytes of the body or of its chunk. */
  #left = 0;
  #isReused = false;
  #hasRead = false;
  #staysOpen = true;
  #error: NodeJS.ErrnoException | undefined;
  /** Called when it is closed. */
  onClose: () => void = () => undefined;

  constructor(address: HttpAddress) {
    const onread = {
      buffer: sharedBuffer,
      callback: (size: number): boolean => {
        this.#read(sharedBuffer.toString('latin1', 0, size));
        return true;
      },
    };
    this.#socket = connected(address, onread);
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, 1000);
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#closed());
  }

  /** Whether another request can be sent. */
  get isFree(): boolean {
    return this.#listener === undefined && this.#staysOpen && !this.#socket.destroyed;
  }

  send(request: Buffer | string, listener: ResponseListener): void {
    this.#listener = listener;
    this.#state = 'head';
    this.#hasRead = false;
    this.#socket.write(request);
  }

  /** Closes it without another call to the listener. */
  destroy(): void {
    this.#listener = undefined;
    this.#staysOpen = false;
    this.#socket.destroy();
  }

  #closed(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#staysOpen = false;
    this.onClose();
    if (listener === undefined) return;
    if (this.#state === 'close' && this.#error === undefined) listener.onEnd();
    else {
      const code = this.#error?.code ?? this.#error?.message ?? 'ECONNRESET';
      listener.onFailure({
        code,
        isInBody: this.#state !== 'head',
        wasIdle: this.#isReused && !this.#hasRead && code === 'ECONNRESET',
      });
    }
  }

  #read(text: string): void {
    const listener = this.#listener;
    if (listener === undefined) {
      // No request is open: the server sent this on its own.
      this.destroy();
      return;
    }
    this.#hasRead = true;
    const unread = this.#unread === '' ? text : this.#unread + text;
    this.#unread = '';
    const at = this.#take(unread, listener);
    if (at < unread.length && this.#listener === listener) this.#unread = unread.slice(at);
    if (this.#listener === listener) listener.onRead();
    if (this.#state !== 'idle' || this.#listener !== listener) return;
    this.#listener = undefined;
    this.#isReused = true;
    if (at < unread.length) this.#staysOpen = false;
    if (!this.#staysOpen) this.#socket.destroy();
    listener.onEnd();
  }

  /** Processes the complete parts; returns the offset of the rest. */
  #take(text: string, listener: ResponseListener): number {
    let at = 0;
    if (this.#state === 'head') at = this.#takeHead(text, listener);
    if (this.#state === 'chunks') at = this.#takeChunks(text, at, listener);
    else if (this.#state === 'length' || this.#state === 'close') at = this.#takeLength(text, at, listener);
    if (this.#state === 'trailers') at = this.#takeTrailers(text, at);
    return at;
  }

  #takeHead(text: string, listener: ResponseListener): number {
    let from = 0;
    for (;;) {
      const end = text.indexOf('\r\n\r\n', from);
      if (end < 0) {
        if (text.length - from > mostHeadBytes) this.#fail('HPE_HEADER_OVERFLOW');
        return from;
      }
      const head = text.slice(from, end);
      from = end + 4;
      const [, version, digits] = /^HTTP\/1\.([01]) (\d{3})/.exec(head) ?? [];
      if (digits === undefined) {
        this.#fail('HPE_INVALID_CONSTANT');
        return from;
      }
      const status = Number(digits);
      // Informational, for example 103 Early Hints: the response follows.
      if (status < 200) continue;
      this.#staysOpen = version === '1' && !closesConnection.test(head);
      this.#beginBody(status, head);
      listener.onHead({ status, contentType: contentType.exec(head)?.[1], text: head });
      return from;
    }
  }

  #beginBody(status: number, head: string): void {
    const length = contentLength.exec(head)?.[1];
    if (status === 204 || status === 304) this.#state = 'idle';
    else if (isChunked.test(head)) {
      this.#state = 'chunks';
      this.#left = 0;
    } else if (length === undefined) {
      this.#state = 'close';
      this.#left = Number.POSITIVE_INFINITY;
    } else {
      this.#left = Number(length);
      this.#state = this.#left === 0 ? 'idle' : 'length';
    }
  }

  #takeLength(text: string, at: number, listener: ResponseListener): number {
    const end = Math.min(text.length, at + this.#left);
    this.#left -= end - at;
    if (end > at) listener.onBody(at === 0 && end === text.length ? text : text.slice(at, end));
    if (this.#left === 0) this.#state = 'idle';
    return end;
  }

  /** `#left` counts the missing bytes of a chunk with the end of its line. */
  #takeChunks(text: string, from: number, listener: ResponseListener): number {
    let at = from;
    while (this.#listener === listener) {
      if (this.#left === 0) {
        const end = text.indexOf('\r\n', at);
        if (end < 0) break;
        const size = Number.parseInt(text.slice(at, end), 16);
        at = end + 2;
        if (size === 0) this.#state = 'trailers';
        if (Number.isNaN(size)) this.#fail('HPE_INVALID_CHUNK_SIZE');
        if (this.#state === 'trailers' || Number.isNaN(size)) break;
        this.#left = size + 2;
      }
      if (at === text.length) break;
      const end = Math.min(text.length, at + this.#left);
      this.#left -= end - at;
      // The last two bytes of a chunk end its line.
      const body = Math.min(end, end + this.#left - 2);
      if (body > at) listener.onBody(text.slice(at, body));
      at = end;
    }
    return at;
  }

  #takeTrailers(text: string, at: number): number {
    if (text.startsWith('\r\n', at)) {
      this.#state = 'idle';
      return at + 2;
    }
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return at;
    this.#state = 'idle';
    return end + 4;
  }

  #fail(code: string): void {
    this.#error = Object.assign(new Error(code), { code });
    this.#socket.destroy();
  }
}

const contentType = /\r\ncontent-type:[ \t]*([^\r]*)/i;
const contentLength = /\r\ncontent-length:[ \t]*(\d+)/i;
const isChunked = /\r\ntransfer-encoding:[^\r]*\bchunked/i;
const closesConnection = /\r\nconnection:[^\r]*\bclose/i;

function connected({ host, port, secure }: HttpAddress, onread: net.OnReadOpts): Socket {
  if (!secure) return net.connect({ host, port, onread });
  // Node supports onread over TLS too; its types lack it.
  const options: tls.ConnectionOptions & { onread: net.OnReadOpts } = {
    host,
    port,
    onread,
    rejectUnauthorized: secure.rejectUnauthorized,
    ...(secure.ca === undefined ? {} : { ca: secure.ca }),
    ...(net.isIP(host) ? {} : { servername: host }),
  };
  return tls.connect(options);
}
