import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient, httpRequest, utf8 } from './http-client.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Received {
  status?: number;
  contentType?: string | undefined;
  body: string;
  end: string;
}

/** Sends a request to a server that answers each with these pieces, every one by itself, and then perhaps hangs up. */
async function responded(pieces: readonly string[], { hangsUp = false, times = 1 } = {}) {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const next = (at: number): void => {
        const piece = pieces[at];
        if (piece !== undefined) socket.write(piece, 'latin1', () => setImmediate(next, at + 1));
        else if (hangsUp) socket.end();
      };
      next(0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new HttpClient({ origin });
  closing.push(
    () => client.close(),
    () => server.close(),
  );
  const received: Received[] = [];
  for (let time = 0; time < times; time++)
    received.push(await one(client, httpRequest({ origin, headers: {} }, '/', '{}')));
  return { received, connections };
}

function one(client: HttpClient, request: Buffer): Promise<Received> {
  return new Promise((resolve) => {
    const received: Received = { body: '', end: '' };
    const connection = client.request(request, {
      onHead: ({ status, contentType }) => Object.assign(received, { status, contentType }),
      onBody: (text) => (received.body += text),
      onRead: () => undefined,
      onEnd: () => {
        client.giveBack(connection);
        resolve({ ...received, end: 'whole' });
      },
      onFailure: ({ code, isInBody }) =>
        resolve({ ...received, end: `${code} ${isInBody ? 'in the body' : 'before'}` }),
    });
  });
}

const chunked = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
const whole = { status: 200, contentType: 'text/plain', end: 'whole' };

describe('a response', () => {
  it.each([
    [
      'with a length',
      'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 11\r\n\r\nhello\r\nyou.',
      'hello\r\nyou.',
    ],
    ['in chunks', `${chunked}5\r\nhello\r\n6;name=value\r\n\r\nyou.\r\n0\r\n\r\n`, 'hello\r\nyou.'],
    ['in chunks with trailers', `${chunked}2\r\nhi\r\n0\r\na: b\r\nc: d\r\n\r\n`, 'hi'],
    ['behind another', `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${chunked}2\r\nhi\r\n0\r\n\r\n`, 'hi'],
    ['without a body', 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n', ''],
  ])('%s is the same wherever it is cut, and its connection is used again', async (_, text, body) => {
    const cuts = Array.from({ length: text.length - 1 }, (_unused, at) => [text.slice(0, at + 1), text.slice(at + 1)]);
    for (const pieces of [[text], text.split(''), ...cuts.filter((_unused, at) => at % 7 === 0)]) {
      const { received, connections } = await responded(pieces, { times: 2 });
      expect(received).toEqual([
        { ...whole, body },
        { ...whole, body },
      ]);
      expect(connections).toBe(1);
    }
  });

  it('lasts until the server hangs up where nothing says how long it is', async () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n';
    expect(await responded([text, 'a', 'b'], { hangsUp: true, times: 2 })).toEqual({
      received: [
        { ...whole, body: 'ab' },
        { ...whole, body: 'ab' },
      ],
      connections: 2,
    });
  });

  it('whose server closes the connection needs another one', async () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nConnection: close\r\ncontent-length: 2\r\n\r\nhi';
    expect((await responded([text], { times: 2 })).connections).toBe(2);
  });

  it.each([
    ['HPE_INVALID_CONSTANT before', ['SSH-2.0-OpenSSH\r\n\r\n']],
    ['HPE_INVALID_CHUNK_SIZE in the body', [`${chunked}zz\r\n`]],
    ['HPE_HEADER_OVERFLOW before', [`HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`]],
  ])('that is none fails: %s', async (end, pieces) => {
    expect((await responded(pieces)).received.map((received) => received.end)).toEqual([end]);
  });

  it.each([
    ['ECONNRESET before', ['HTTP/1.1 200']],
    ['ECONNRESET in the body', [`${chunked}5\r\nhel`]],
  ])('that breaks off fails: %s', async (end, pieces) => {
    expect((await responded(pieces, { hangsUp: true })).received.map((received) => received.end)).toEqual([end]);
  });
});

describe('a request', () => {
  it('has its path behind that of the server, and the length of its body in bytes', () => {
    const target = { origin: 'http://[::1]:8000/base', headers: { authorization: 'Bearer k' } };
    expect(httpRequest(target, '/v1/x', '{"a":"ä"}').toString()).toBe(
      'POST /base/v1/x HTTP/1.1\r\nhost: [::1]:8000\r\ncontent-type: application/json\r\nauthorization: Bearer k\r\n' +
        'content-length: 10\r\n\r\n{"a":"ä"}',
    );
  });

  it('cannot carry a header that would end before its value does', () => {
    expect(() => httpRequest({ origin: 'http://a', headers: { x: 'a\r\nb: c' } }, '/', '')).toThrow(
      'The header "x" contains characters that are not allowed in HTTP headers.',
    );
  });
});

it('a text is read as what it was written as', () => {
  expect(utf8(Buffer.from('Grüße 😀').toString('latin1'))).toBe('Grüße 😀');
});
