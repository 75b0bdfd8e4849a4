import http2 from 'node:http2';
import net from 'node:net';
import tls, { type SecureContextOptions } from 'node:tls';
import { StatusError } from '../../kserve/status.ts';

/** Where and how to connect. */
export interface ConnectorOptions {
  readonly host: string;
  readonly port: number;
  readonly secure?: (SecureContextOptions & { readonly servername?: string }) | undefined;
  /** Milliseconds for the connection, TLS and the HTTP/2 preface together. */
  readonly connectTimeout: number;
  /** Milliseconds between HTTP/2 pings; Triton counts strikes against pings that come faster than every five minutes. */
  readonly keepaliveInterval: number;
}

/** A stream may run this far ahead of its reader before Triton has to wait. */
const streamWindow = 1024 * 1024;
const connectionWindow = 256 * 1024 * 1024;
const pingTimeout = 20_000;
const firstBackoff = 100;
const longestBackoff = 5_000;

/**
 * Keeps one HTTP/2 connection to an address. After a failed attempt, calls fail at once until the next attempt is due,
 * so that a dead address costs its callers nothing.
 */
export class Connector {
  readonly #options: ConnectorOptions;
  #current: http2.ClientHttp2Session | undefined;
  #connecting: Promise<http2.ClientHttp2Session> | undefined;
  #failures = 0;
  #nextAttempt = 0;
  #lastFault: StatusError | undefined;
  #isClosed = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** A connection that takes new calls. */
  async session(signal?: AbortSignal): Promise<http2.ClientHttp2Session> {
    const current = this.#current;
    if (current && !current.closed && !current.destroyed) return current;
    if (this.#isClosed) throw new StatusError('CANCELLED', 'The channel is closed.');
    if (!this.#connecting) {
      if (this.#lastFault && performance.now() < this.#nextAttempt) throw this.#lastFault;
      this.#connecting = this.#connect().finally(() => {
        this.#connecting = undefined;
      });
    }
    return signal ? unlessAborted(this.#connecting, signal) : this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#current ?? (await this.#connecting?.catch(() => undefined));
    session?.destroy();
  }

  async #connect(): Promise<http2.ClientHttp2Session> {
    try {
      const session = await openSession(this.#options);
      this.#failures = 0;
      this.#lastFault = undefined;
      this.#current = session;
      session.once('goaway', () => this.#forget(session));
      session.once('close', () => this.#forget(session));
      keepAlive(session, this.#options.keepaliveInterval);
      if (this.#isClosed) session.destroy();
      return session;
    } catch (error) {
      const { host, port } = this.#options;
      const reason = error instanceof Error ? error.message : String(error);
      const fault = new StatusError('UNAVAILABLE', `No connection to ${host}:${port}: ${reason}`, {
        unreachable: true,
        cause: error,
      });
      const backoff = Math.min(longestBackoff, firstBackoff * 2 ** this.#failures);
      this.#failures++;
      this.#nextAttempt = performance.now() + backoff * (0.5 + Math.random() / 2);
      this.#lastFault = fault;
      throw fault;
    }
  }

  /** A connection that is going away finishes its calls; new ones get a new connection. */
  #forget(session: http2.ClientHttp2Session): void {
    if (this.#current === session) this.#current = undefined;
  }
}

function openSession(options: ConnectorOptions): Promise<http2.ClientHttp2Session> {
  const { host, port, secure } = options;
  const socket = secure
    ? tls.connect({ host, port, ALPNProtocols: ['h2'], ...(net.isIP(host) ? {} : { servername: host }), ...secure })
    : net.connect({ host, port });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  const session = http2.connect(`${secure ? 'https' : 'http'}://${net.isIPv6(host) ? `[${host}]` : host}:${port}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: streamWindow, enablePush: false },
    maxSessionMemory: 1024,
  });
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer);
      session.destroy();
      socket.destroy();
      reject(error);
    };
    const { connectTimeout } = options;
    const timer = setTimeout(() => fail(new Error(`no answer within ${connectTimeout} ms`)), connectTimeout);
    session.once('error', fail);
    session.once('close', () => fail(new Error('the server closed the connection')));
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      session.setLocalWindowSize(connectionWindow);
      // Faults of the connection reach its calls, each of which ends with its own error.
      session.on('error', () => undefined);
      resolve(session);
    });
  });
}

/** Pings at the interval; an unanswered ping ends the connection, and with it the calls that would have hung. */
function keepAlive(session: http2.ClientHttp2Session, interval: number): void {
  if (interval <= 0) return;
  const timer = setInterval(() => {
    const overdue = setTimeout(() => session.destroy(new Error('keepalive ping not answered')), pingTimeout);
    overdue.unref();
    const isSent = session.ping(() => clearTimeout(overdue));
    if (!isSent) clearTimeout(overdue);
  }, interval);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new StatusError('CANCELLED', 'The call was cancelled.'));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
