import { StatusError } from '../../kserve/status.ts';
import { connectReason } from './connect-reason.ts';
import { Connection } from './connection.ts';
import type { Http2Session } from './http2/http2-session.ts';
import { ClosedEarlyError, type OpeningSession, openSession, type SessionAddress } from './http2/open-session.ts';

/** The address, and how to connect. */
export interface ConnectorOptions extends SessionAddress {
  /** Milliseconds for the connection, TLS and the HTTP/2 preface together. */
  readonly connectTimeout: number;
  /** Milliseconds between HTTP/2 pings; Triton counts strikes against pings that come faster than every five minutes. */
  readonly keepaliveInterval: number;
}

/** How many bytes a stream may be ahead of its reader before Triton has to wait. */
const streamWindow = 512 * 1024;
const connectionWindow = 256 * 1024 * 1024;
/** The limit for the headers of one response, in bytes: they contain the text of an error. */
const mostHeaders = 1024 * 1024;
const firstBackoff = 100;
const longestBackoff = 5_000;

/**
 * Holds one HTTP/2 connection to an address. After a failed attempt, calls fail at once until the next attempt is due,
 * so that callers do not wait for a dead address.
 */
export class Connector {
  readonly #options: ConnectorOptions;
  /** Every open session: the current one, one that is connecting, and those that only finish their calls. */
  readonly #sessions = new Set<Http2Session>();
  #current: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failures = 0;
  #nextAttempt = 0;
  #lastError: StatusError | undefined;
  #isClosed = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** A connection that takes new calls, if it has one. */
  get current(): Connection | undefined {
    const current = this.#current;
    return current?.session.isUsable ? current : undefined;
  }

  /** A connection that takes new calls; connects if there is none. */
  async connection(): Promise<Connection> {
    if (this.#isClosed) throw channelClosed();
    const { current } = this;
    if (current) return current;
    if (!this.#connecting) {
      if (this.#lastError && performance.now() < this.#nextAttempt) throw this.#lastError;
      this.#connecting = this.#connect().finally(() => {
        this.#connecting = undefined;
      });
    }
    return this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy(channelClosed());
    await this.#connecting?.catch(() => undefined);
  }

  async #connect(): Promise<Connection> {
    try {
      const connection = new Connection(await this.#open(), this.#options.keepaliveInterval);
      this.#failures = 0;
      this.#lastError = undefined;
      this.#current = connection;
      return connection;
    } catch (error) {
      if (error instanceof StatusError) throw error;
      const { host, port } = this.#options;
      const failure = new StatusError('UNAVAILABLE', `No connection to ${host}:${port}: ${connectReason(error)}.`, {
        unreachable: true,
        cause: error,
      });
      const backoff = Math.min(longestBackoff, firstBackoff * 2 ** this.#failures);
      this.#failures++;
      this.#nextAttempt = performance.now() + backoff * (0.5 + Math.random() / 2);
      this.#lastError = failure;
      throw failure;
    }
  }

  async #open(): Promise<Http2Session> {
    const opening = openSession(this.#options, { streamWindow, connectionWindow, mostHeaders });
    const { session } = opening;
    this.#sessions.add(session);
    session.whenClosed(() => this.#sessions.delete(session));
    await untilOpen(opening, this.#options);
    return session;
  }
}

function untilOpen({ session, whenOpen }: OpeningSession, { connectTimeout, secure }: ConnectorOptions): Promise<void> {
  const late = new Error(`no response within ${connectTimeout} ms`);
  const timer = setTimeout(() => session.destroy(late), connectTimeout);
  return whenOpen
    .catch((error: unknown) => {
      if (!(error instanceof ClosedEarlyError)) throw error;
      throw new Error(`the server closed the connection; it probably ${probableReason(secure)}`, { cause: error });
    })
    .finally(() => clearTimeout(timer));
}

/** Why a server probably closes a new connection: gRPC servers give no reason. */
function probableReason(secure: ConnectorOptions['secure']): string {
  if (!secure) return 'requires TLS (--triton-tls)';
  return secure.cert ? 'does not trust the client certificate' : 'requires a client certificate (--triton-cert)';
}

function channelClosed(): StatusError {
  return new StatusError('CANCELLED', 'The channel is closed.');
}
