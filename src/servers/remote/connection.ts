import { StatusError } from '../../kserve/status.ts';
import type { Http2Session } from './http2/http2-session.ts';

const pingTimeout = 20_000;

/** An open HTTP/2 connection with keepalive pings. */
export class Connection {
  readonly session: Http2Session;
  /** How many calls run on it; the calls update the count. */
  calls = 0;
  readonly #keepaliveInterval: number;
  #isProbed = false;

  /** Pings at the interval (milliseconds, 0: never) while calls run: Triton penalizes pings of an idle connection. */
  constructor(session: Http2Session, keepaliveInterval: number) {
    this.session = session;
    this.#keepaliveInterval = keepaliveInterval;
    if (keepaliveInterval <= 0) return;
    const timer = setInterval(() => {
      if (this.calls > 0) this.probe();
    }, keepaliveInterval);
    timer.unref();
    session.whenClosed(() => clearInterval(timer));
  }

  /** Pings once. Without a response the connection ends, and with it the calls that would have hung. */
  probe(): void {
    if (this.#isProbed || this.#keepaliveInterval <= 0 || this.session.isClosed) return;
    this.#isProbed = true;
    const overdue = setTimeout(() => this.session.destroy(unanswered()), pingTimeout);
    overdue.unref();
    this.session.ping(() => {
      clearTimeout(overdue);
      this.#isProbed = false;
    });
  }
}

function unanswered(): StatusError {
  return new StatusError('UNAVAILABLE', 'The server did not respond to a keepalive ping.', { unreachable: true });
}
