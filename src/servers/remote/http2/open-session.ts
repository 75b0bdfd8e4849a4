import net, { type Socket } from 'node:net';
import tls, { type SecureContextOptions } from 'node:tls';
import { ProtocolError } from './frames.ts';
import { Http2Session, type SessionOptions } from './http2-session.ts';
import { ReadBuffer } from './read-buffer.ts';

/** The address of a session; with TLS if `secure` is set. */
export interface SessionAddress {
  readonly host: string;
  readonly port: number;
  readonly secure?: (SecureContextOptions & { readonly servername?: string }) | undefined;
}

/** The server does not speak HTTP/2. */
export class NotHttp2Error extends Error {
  constructor(cause?: unknown) {
    super('the server does not speak HTTP/2 on this port', { cause });
    this.name = 'NotHttp2Error';
  }
}

/** The server closed the connection before it sent anything. */
export class ClosedEarlyError extends Error {}

/** A session that is connecting. */
export interface OpeningSession {
  readonly session: Http2Session;
  /** Resolves when the server's settings arrive. */
  readonly whenOpen: Promise<void>;
}

/** Connects, and sends the preface. */
export function openSession(address: SessionAddress, options: SessionOptions): OpeningSession {
  const input = new ReadBuffer();
  const socket = address.secure
    ? secureSocket(address, address.secure)
    : plainSocket(address, input, () => session.received());
  const session: Http2Session = new Http2Session(socket, input, options);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  const whenOpen = new Promise<void>((resolve, reject) => {
    session.onOpen = resolve;
    session.whenClosed(() => {
      const { error } = session;
      if (error instanceof ProtocolError) reject(new NotHttp2Error(error));
      else reject(error ?? new ClosedEarlyError());
    });
  });
  if (socket instanceof tls.TLSSocket) {
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol === 'h2') session.begin();
      else session.destroy(new NotHttp2Error());
    });
    socket.on('data', (chunk: Buffer) => {
      input.append(chunk);
      session.received();
    });
  } else socket.once('connect', () => session.begin());
  return { session, whenOpen };
}

/** A socket that reads into the read buffer, with one callback per read. */
function plainSocket({ host, port }: SessionAddress, input: ReadBuffer, received: () => void): Socket {
  return net.connect({
    host,
    port,
    onread: {
      buffer: () => input.space(),
      callback: (count) => {
        input.to += count;
        received();
        return true;
      },
    },
  });
}

function secureSocket({ host, port }: SessionAddress, secure: NonNullable<SessionAddress['secure']>): tls.TLSSocket {
  return tls.connect({
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(net.isIP(host) ? {} : { servername: host }),
    ...secure,
  });
}
