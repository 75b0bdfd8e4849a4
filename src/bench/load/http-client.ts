import type { Target } from '../target.ts';
import { type HttpAddress, HttpConnection, type ResponseListener } from './http-connection.ts';

/** The connections of a load to one server. They are reused. */
export class HttpClient {
  readonly #address: HttpAddress;
  /** Last in, first out. */
  readonly #free: HttpConnection[] = [];
  readonly #open = new Set<HttpConnection>();

  constructor({ origin, ca, isInsecure }: Pick<Target, 'origin' | 'ca' | 'isInsecure'>) {
    const { protocol, hostname, port } = new URL(origin);
    const isTls = protocol === 'https:';
    this.#address = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isTls ? 443 : 80) : Number(port),
      secure: isTls ? { ca, rejectUnauthorized: isInsecure !== true } : undefined,
    };
  }

  /** Sends the bytes of `httpRequest`. Destroy the connection to cancel the request. */
  request(bytes: Buffer, listener: ResponseListener): HttpConnection {
    const connection = this.#free.pop() ?? this.#connect();
    connection.send(bytes, listener);
    return connection;
  }

  /** Returns a connection after the end of its response. */
  giveBack(connection: HttpConnection): void {
    if (connection.isFree) this.#free.push(connection);
  }

  close(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #connect(): HttpConnection {
    const connection = new HttpConnection(this.#address);
    this.#open.add(connection);
    connection.onClose = () => {
      this.#open.delete(connection);
      const at = this.#free.indexOf(connection);
      if (at >= 0) this.#free.splice(at, 1);
    };
    return connection;
  }
}

/** The bytes of a POST. */
export function httpRequest(
  { origin, headers }: Pick<Target, 'origin' | 'headers'>,
  path: string,
  body: string,
): Buffer {
  const { host, pathname } = new URL(origin);
  const all = { host, 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${checked(name, String(value))}\r\n`);
  const head = `POST ${pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

function checked(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) return value;
  throw new Error(`The header ${JSON.stringify(name)} contains characters that are not allowed in HTTP headers.`);
}

/** Decodes UTF-8 that was read as latin1. */
export function utf8(text: string): string {
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}
