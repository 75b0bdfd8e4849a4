import http2, { type ServerHttp2Stream } from 'node:http2';
import net from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { pulled } from '../support/pulled-responses.ts';
import { errorOf, remoteServer, toyRequest } from './remote.ts';
import { liveMessage, respond, respondLive, scriptedServer } from './scripted-server.ts';

async function clientOf(script: Parameters<typeof scriptedServer>[0], options?: Parameters<typeof remoteServer>[1]) {
  const server = await scriptedServer(script);
  const client = remoteServer(server.port, options);
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  return { server, client };
}

const { constants } = http2;
const ok = { 'grpc-status': '0' };
const reset = (code: number) => (stream: ServerHttp2Stream) => stream.close(code);
const status = (headers: http2.OutgoingHttpHeaders) => (stream: ServerHttp2Stream) =>
  stream.respond(headers, { endStream: true });

it('a call that the server refuses is sent again, as nothing was done for it', async () => {
  let calls = 0;
  const { client } = await clientOf((stream) => {
    if (++calls < 4) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else respondLive(stream);
  });
  expect(await client.call('ServerLive', {})).toEqual({ live: true });
  expect(calls).toBe(4);
});

it('a call that was refused is no longer sent when nobody wants it', async () => {
  const abort = new AbortController();
  let calls = 0;
  const { client } = await clientOf((stream) => {
    calls++;
    // The refusal is read after the signal was aborted.
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    abort.abort();
  });
  const { code } = await errorOf(client.call('ServerLive', {}, { signal: abort.signal }));
  expect({ code, calls }).toEqual({ code: 'CANCELLED', calls: 1 });
});

describe('a server that does not keep to the protocol', () => {
  it.each<[string, (stream: ServerHttp2Stream) => void, string, string, boolean?]>([
    [
      'a compressed message',
      (stream) => {
        respond(stream, ok);
        stream.end(Buffer.of(1, 0, 0, 0, 0));
      },
      'INTERNAL',
      'The server sent a compressed message, which Conch did not request.',
    ],
    [
      'an end inside a message',
      (stream) => {
        respond(stream, ok);
        stream.end(liveMessage.subarray(0, -1));
      },
      'INTERNAL',
      'The server ended the call inside a message.',
    ],
    [
      'an end without trailers',
      (stream) => {
        respond(stream);
        stream.end(liveMessage);
      },
      'INTERNAL',
      'The server ended the call without a status.',
    ],
    [
      'trailers without a status',
      (stream) => {
        respond(stream, { 'x-other': 'thing' });
        stream.end(liveMessage);
      },
      'INTERNAL',
      'The server ended the call without a status.',
    ],
    [
      'an end without a response',
      (stream) => {
        respond(stream, ok);
        stream.end();
      },
      'INTERNAL',
      'The server ended the call without a response.',
    ],
    [
      'a message that is too large',
      (stream) => {
        respond(stream, ok);
        stream.end(frame(Buffer.alloc(1001)));
      },
      'RESOURCE_EXHAUSTED',
      'The server sent a message of 1001 bytes, more than the 1000 allowed.',
    ],
    [
      'another content type',
      (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'text/html' });
        stream.end('<p>Hello</p>');
      },
      'UNKNOWN',
      'The server does not speak gRPC on this port. Use the gRPC port of Triton, 8001 by default.',
    ],
    ['HTTP status 503', status({ ':status': 503 }), 'UNAVAILABLE', 'The server responded with HTTP status 503.'],
    ['HTTP status 404', status({ ':status': 404 }), 'UNIMPLEMENTED', 'The server responded with HTTP status 404.'],
    ['HTTP status 401', status({ ':status': 401 }), 'UNAUTHENTICATED', 'The server responded with HTTP status 401.'],
    [
      'a status in the headers, percent-encoded',
      status({ ':status': 200, 'grpc-status': '5', 'grpc-message': 'nothing f%C3%BCr 100%25' }),
      'NOT_FOUND',
      'nothing für 100%',
    ],
    [
      'a status that nobody knows, badly encoded',
      status({ ':status': 200, 'grpc-status': '99', 'grpc-message': '100%' }),
      'UNKNOWN',
      '100%',
    ],
    ['a refused call', reset(constants.NGHTTP2_REFUSED_STREAM), 'UNAVAILABLE', 'The server refused the call.', true],
    [
      'a reset call',
      reset(constants.NGHTTP2_INTERNAL_ERROR),
      'INTERNAL',
      'The server reset the call (HTTP/2 error code 2).',
    ],
    [
      'a cancelled call',
      reset(constants.NGHTTP2_CANCEL),
      'INTERNAL',
      'The server reset the call (HTTP/2 error code 8).',
    ],
    [
      'a call that is too much',
      reset(constants.NGHTTP2_ENHANCE_YOUR_CALM),
      'RESOURCE_EXHAUSTED',
      'The server reset the call (HTTP/2 error code 11).',
    ],
    [
      'a broken connection',
      (stream) => stream.session?.destroy(),
      'UNAVAILABLE',
      'The connection to the server was lost.',
      true,
    ],
  ])('by %s fails the call', async (_name, script, code, message, unreachable = false) => {
    const { client } = await clientOf(script, { maxMessageSize: 1000 });
    expect(await errorOf(client.call('ServerLive', {}))).toEqual({ code, message, unreachable });
  });

  it('by bytes that are no message fails the call', async () => {
    const { client } = await clientOf((stream) => {
      respond(stream, ok);
      stream.end(frame(Buffer.of(0x0a, 0x7f)));
    });
    const error = {
      code: 'INTERNAL',
      message: 'The server sent an invalid protobuf message.',
      unreachable: false,
    };
    expect(await errorOf(pulled(client, toyRequest('Hello')).next())).toEqual(error);
    expect(await errorOf(client.infer(toyRequest('Hello')))).toEqual(error);
    expect(await errorOf(client.call('ServerMetadata', {}))).toEqual(error);
  });

  it('by breaking off after its OK takes nothing from a reader that has not read all', async () => {
    const connect = vi.spyOn(net, 'connect');
    // More than the reader is given at once, less than the window: all of it and the trailers arrive.
    const message = frame(Buffer.concat([Buffer.of(0x12, 0x80, 0x40), filler]));
    const { server, client } = await clientOf((stream) => {
      respond(stream, ok);
      for (let count = 0; count < 50; count++) stream.write(message);
      stream.end();
    });
    const stream = pulled(client, toyRequest('Hello'));
    const { value: first } = await stream.next();
    const socket = connect.mock.results[0]?.value as net.Socket;
    await vi.waitUntil(
      () => socket.bytesRead === server.sockets[0]?.bytesWritten && socket.bytesRead > 50 * message.length,
      30_000,
    );
    server.sockets[0]?.resetAndDestroy();
    await new Promise((resolve) => socket.once('close', resolve));
    let count = first.length;
    for await (const batch of stream) count += batch.length;
    expect(count).toBe(50);
  });
});

/** An unknown field of a ModelInferResponse that makes it 8 KiB long. */
const filler = Buffer.concat([Buffer.of(0x7a, 0xfd, 0x3f), Buffer.alloc(8192 - 3)]);

describe('a server that says goodbye', () => {
  it('finishes its calls, and new ones go to a new connection', async () => {
    const held: ServerHttp2Stream[] = [];
    const { server, client } = await clientOf((stream, call) => (call === 1 ? held.push(stream) : respondLive(stream)));
    const first = client.call('ServerLive', {});
    await vi.waitUntil(() => held.length === 1, 30_000);
    // As gRPC servers say it: the calls that are under way are still welcome.
    server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
    // The answer to a ping that follows the goodbye shows that it has arrived.
    await new Promise<void>((resolve) => server.sessions[0]?.ping(() => resolve()));
    expect(await client.call('ServerLive', {})).toEqual({ live: true });
    for (const stream of held) respondLive(stream);
    expect(await first).toEqual({ live: true });
    expect(await client.call('ServerLive', {})).toEqual({ live: true });
    expect(server.sessions).toHaveLength(2);
  });

  it('with an error ends its calls, and new ones go to a new connection', async () => {
    const { server, client } = await clientOf((stream, call) => {
      if (call === 1) stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      else respondLive(stream);
    });
    expect(await errorOf(client.call('ServerLive', {}))).toEqual({
      code: 'UNAVAILABLE',
      message: 'The connection to the server was lost.',
      unreachable: true,
    });
    expect(await client.call('ServerLive', {})).toEqual({ live: true });
    expect(server.sessions).toHaveLength(2);
  });
});

describe('keepalive', () => {
  it('pings at its interval, but only while a call runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const held: ServerHttp2Stream[] = [];
    const { server, client } = await clientOf(
      (stream, call) => (call === 2 ? held.push(stream) : respondLive(stream)),
      {
        keepaliveInterval: 300_000,
      },
    );
    await client.call('ServerLive', {});
    let pings = 0;
    server.sessions[0]?.on('ping', () => pings++);
    await vi.advanceTimersByTimeAsync(3_600_000);
    const running = client.call('ServerLive', {});
    await untilTrue(() => held.length > 0);
    expect(pings).toBe(0);
    for (let round = 1; round <= 3; round++) {
      vi.advanceTimersByTime(300_000);
      await untilTrue(() => pings === round);
      // Time enough for the answer to this ping, and for one ping too many.
      await roundTrips(client);
    }
    vi.advanceTimersByTime(299_999);
    await roundTrips(client);
    expect(pings).toBe(3);
    for (const stream of held) respondLive(stream);
    expect(await running).toEqual({ live: true });
    expect(server.sessions).toHaveLength(1);
  });
});

async function roundTrips(client: ReturnType<typeof remoteServer>): Promise<void> {
  for (let count = 0; count < 3; count++) await client.call('ServerLive', {});
}

/** Turns of the event loop until it is so; the test's clock stands still meanwhile. */
async function untilTrue(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}
