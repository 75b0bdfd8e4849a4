import { connect } from 'node:net';

/** What came back on a connection. */
export interface Exchanged {
  readonly bytes: Buffer;
  /** Whether the connection ended before the patience did. */
  readonly isOver: boolean;
}

/** Milliseconds after which a connection counts as hung. */
const patience = 25_000;

/** Sends bytes on a connection of their own and reads until it ends. */
export function exchange(port: number, bytes: Buffer, { halfCloses = false } = {}): Promise<Exchanged> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const pieces: Buffer[] = [];
    const finish = (isOver: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ bytes: Buffer.concat(pieces), isOver });
    };
    const timer = setTimeout(() => finish(false), patience);
    socket.on('data', (piece) => pieces.push(piece));
    // A server that refuses early closes while there is still something to send.
    socket.on('error', () => finish(true));
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    if (halfCloses) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** An answer, read from its bytes. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All whole answers of a connection. Throws where what came is none. */
export function responsesIn(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) throw new Error(`no head: ${bytes.subarray(at, at + 200).toString('latin1')}`);
    const [first = '', ...lines] = bytes.subarray(at, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status: ${first}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const { body, next } = bodyAt(bytes, end + 4, headers, status);
    at = next;
    if (status >= 200) responses.push({ status, headers, body });
  }
  return responses;
}

function bodyAt(bytes: Buffer, from: number, headers: Readonly<Record<string, string>>, status: number) {
  if (status < 200 || status === 204) return { body: '', next: from };
  if (headers['transfer-encoding'] === 'chunked') return chunkedAt(bytes, from);
  const length = Number(headers['content-length'] ?? bytes.length - from);
  // An answer to HEAD has a length and no body.
  const next = Math.min(bytes.length, from + length);
  return { body: bytes.subarray(from, next).toString('utf8'), next };
}

function chunkedAt(bytes: Buffer, from: number) {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) throw new Error('the answer ends inside its chunks');
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (size === 0) return { body: Buffer.concat(pieces).toString('utf8'), next: end + 4 };
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
