import http2 from 'node:http2';
import net from 'node:net';
import tls, { type SecureContextOptions } from 'node:tls';
import { StatusError } from '../../kserve/status.ts';
import { connectReason } from './connect-reason.ts';

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

/** An open connection. */
export interface Connection {
  readonly session: http2.ClientHttp2Session;
  /** How many calls run on it; the calls keep the count. */
  calls: number;
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
  /** Every session that is not closed: the current one, one that is being opened, and those that only finish their calls. */
  readonly #sessions = new Set<http2.ClientHttp2Session>();
  #current: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failures = 0;
  #nextAttempt = 0;
  #lastFault: StatusError | undefined;
  #isClosed = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** A connection that takes new calls, if it has one. */
  get current(): Connection | undefined {
    const current = this.#current;
    return current && !current.session.closed && !current.session.destroyed ? current : undefined;
  }

  /** A connection that takes new calls, opened if need be. */
  async connection(): Promise<Connection> {
    if (this.#isClosed) throw closed();
    const { current } = this;
    if (current) return current;
    if (!this.#connecting) {
      if (this.#lastFault && performance.now() < this.#nextAttempt) throw this.#lastFault;
      this.#connecting = this.#connect().finally(() => {
        this.#connecting = undefined;
      });
    }
    return this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy(closed());
    await this.#connecting?.catch(() => undefined);
  }

  async #connect(): Promise<Connection> {
    try {
      const connection = { session: await this.#open(), calls: 0 };
      this.#failures = 0;
      this.#lastFault = undefined;
      this.#current = connection;
      keepAlive(connection, this.#options.keepaliveInterval);
      return connection;
    } catch (error) {
      if (error instanceof StatusError) throw error;
      const { host, port } = this.#options;
      const fault = new StatusError('UNAVAILABLE', `No connection to ${host}:${port}: ${connectReason(error)}.`, {
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

  async #open(): Promise<http2.ClientHttp2Session> {
    const session = createSession(this.#options);
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    await untilOpen(session, this.#options.connectTimeout);
    session.setLocalWindowSize(connectionWindow);
    return session;
  }
}

function createSession({ host, port, secure }: ConnectorOptions): http2.ClientHttp2Session {
  const socket = secure
    ? tls.connect({ host, port, ALPNProtocols: ['h2'], ...(net.isIP(host) ? {} : { servername: host }), ...secure })
    : net.connect({ host, port });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  return http2.connect(`${secure ? 'https' : 'http'}://${net.isIPv6(host) ? `[${host}]` : host}:${port}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: streamWindow, enablePush: false },
    maxSessionMemory: 1024,
  });
}

function untilOpen(session: http2.ClientHttp2Session, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => session.destroy(new Error(`no answer within ${timeout} ms`)), timeout);
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      resolve();
    });
    // Once the session is open, its faults reach the calls, each of which ends with its own error.
    session.on('error', reject);
    session.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the server closed the connection'));
    });
  });
}

/**
 * Pings at the interval while calls run: Triton takes pings of an idle connection amiss. An unanswered ping ends the
 * connection, and with it the calls that would have hung.
 */
function keepAlive(connection: Connection, interval: number): void {
  if (interval <= 0) return;
  const { session } = connection;
  const timer = setInterval(() => {
    if (connection.calls === 0 || session.destroyed) return;
    const overdue = setTimeout(() => session.destroy(unanswered()), pingTimeout);
    overdue.unref();
    const isSent = session.ping(() => clearTimeout(overdue));
    if (!isSent) clearTimeout(overdue);
  }, interval);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}

function unanswered(): StatusError {
  return new StatusError('UNAVAILABLE', 'The server did not answer a keepalive ping.', { unreachable: true });
}

function closed(): StatusError {
  return new StatusError('CANCELLED', 'The channel is closed.');
}
