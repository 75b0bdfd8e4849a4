import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import { openResponsesOf } from './open-responses.ts';
import { requestSignal } from './request-signal.ts';

const connections = { maxHeaders: 20, maxHeaderSize: 4096 };
let app: FastifyInstance;

afterEach(() => app.close());

async function start(): Promise<number> {
  app = tinyApp([tinyEndpoint({ methods: ['GET', 'POST'] })], { connections });
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** What comes back for these bytes until the connection ends. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket.setEncoding('latin1').on('data', (text: string) => (response += text));
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return response;
}

const headers = (count: number): string => Array.from({ length: count }, (_, at) => `x-${at}: 1\r\n`).join('');
const bodyOf = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
const error = (code: string, message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

describe('a connection', () => {
  it('may bring as many headers as allowed', async () => {
    const port = await start();
    const response = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers(18)}\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nfine$/s);
  });

  it('is refused with one header more, by name', async () => {
    const port = await start();
    const response = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers(19)}\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(response)).toEqual(
      error('headers_too_large', 'Request has too many headers: 21. The limit is 20 (--http-max-headers).'),
    );
  });

  it.each([
    ['a long header', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(5000)}\r\n\r\n`],
    ['a long path', `GET /${'y'.repeat(5000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('is refused with %s', async (_, bytes) => {
    const response = await exchange(await start(), bytes);
    expect(response).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n.*x-request-id: [\w-]{36}\r\n/s);
    expect(bodyOf(response)).toEqual(
      error('headers_too_large', 'Request headers are too large: the limit is set by --http-max-header-size.'),
    );
  });

  it.each([
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
  ])('with %s gets an error', async (_, bytes) => {
    const response = await exchange(await start(), bytes);
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(bodyOf(response)).toEqual(error('invalid_request', 'Invalid HTTP/1.1 request.'));
  });

  it('that breaks ends all of its requests, also pipelined ones', async () => {
    const arrived: string[] = [];
    const ended: string[] = [];
    const handler = () => async (request: FastifyRequest, reply: FastifyReply) => {
      arrived.push(request.url);
      await new Promise<void>((resolve) => requestSignal(reply).addEventListener('abort', resolve));
      ended.push(request.url);
    };
    app = tinyApp([tinyEndpoint({ paths: ['/:number'], handler })], { connections });
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    const paths = ['/1', '/2', '/3'];
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await expect.poll(() => arrived).toEqual(paths);
    socket.destroy();
    await expect.poll(() => ended.toSorted()).toEqual(paths);
    expect(openResponsesOf(app.server)).toEqual([]);
  });
});
