import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePorts } from '../support/ports.ts';
import { pulled } from '../support/pulled-responses.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { batchesOf, countOf, errorOf, remoteServer, textsOf, toyRequest } from './remote.ts';
import { tcpServer } from './scripted-server.ts';

const connect = vi.spyOn(net, 'connect');
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});
/** The sockets that were opened to a port: the test's own fetches open others. */
const socketsTo = (port: number) =>
  connect.mock.results.flatMap(({ value }, at) => {
    const target: unknown = connect.mock.calls[at]?.[0];
    const isExpected = typeof target === 'object' && target !== null && 'port' in target && target.port === port;
    return isExpected && value instanceof net.Socket ? [value] : [];
  });
const broken = { code: 'UNAVAILABLE', message: 'The connection to the server was lost.', unreachable: true };
const live = { live: true };

describe('a port where no server of the protocol listens', () => {
  const unreachable = (port: number, reason: string) => ({
    code: 'UNAVAILABLE',
    message: `No connection to 127.0.0.1:${port}: ${reason}.`,
    unreachable: true,
  });

  it.each([
    [
      'HTTP/1.1',
      'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
      'the server does not speak HTTP/2 on this port',
    ],
    ['something else', '220 mail.example ESMTP\r\n220 ready\r\n', 'the server does not speak HTTP/2 on this port'],
  ])('but %s fails the call', async (_name, greeting, reason) => {
    const { port, close } = await tcpServer((socket) => socket.write(greeting));
    onTestFinished(close);
    const server = remoteServer(port);
    expect(await errorOf(server.call('ServerLive', {}))).toEqual(unreachable(port, reason));
    await server.close();
  });

  it('but one that hangs up or nobody at all fails the call', async () => {
    const { port, close } = await tcpServer((socket) => socket.destroy());
    onTestFinished(close);
    expect(await errorOf(remoteServer(port).call('ServerLive', {}))).toEqual(
      unreachable(port, 'the server closed the connection; it probably requires TLS (--triton-tls)'),
    );
    const [none = 0] = await freePorts(1);
    expect(await errorOf(batchesOf(pulled(remoteServer(none), toyRequest('Hello'))))).toEqual(
      unreachable(none, `connect ECONNREFUSED 127.0.0.1:${none}`),
    );
  });

  it('but one that never answers fails the call when the time to connect is up, or earlier', async () => {
    const { port, sockets, close } = await tcpServer(() => undefined);
    onTestFinished(close);
    const server = remoteServer(port, { connectTimeout: 300 });
    const leaving = new AbortController();
    const late = errorOf(server.call('ServerLive', {}));
    const left = errorOf(server.call('ServerLive', {}, { signal: leaving.signal }));
    const overdue = errorOf(batchesOf(pulled(server, toyRequest('Hello'), { timeout: 50 })));
    await vi.waitUntil(() => sockets.length === 1, 30_000);
    leaving.abort();
    expect(await left).toEqual({ code: 'CANCELLED', message: 'The call was cancelled.', unreachable: false });
    expect(await overdue).toEqual({
      code: 'DEADLINE_EXCEEDED',
      message: 'No response within 50 ms.',
      unreachable: false,
    });
    expect(await late).toEqual(unreachable(port, 'no response within 300 ms'));
    expect(sockets).toHaveLength(1);
  });

  it('does not hold up the end of the client', async () => {
    const { port, sockets, close } = await tcpServer(() => undefined);
    onTestFinished(close);
    const server = remoteServer(port, { connectTimeout: 3_600_000 });
    const closed = { code: 'CANCELLED', message: 'The channel is closed.', unreachable: false };
    const call = errorOf(server.call('ServerLive', {}));
    await vi.waitUntil(() => sockets.length === 1, 30_000);
    await server.close();
    expect(await call).toEqual(closed);
    expect(await errorOf(server.call('ServerLive', {}))).toEqual(closed);
  });

  it('is tried again after a pause that doubles up to five seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const random = vi.spyOn(Math, 'random').mockReturnValue(1);
    onTestFinished(() => {
      random.mockRestore();
    });
    const [port = 0] = await freePorts(1);
    const server = remoteServer(port);
    const attempt = async () => {
      const before = socketsTo(port).length;
      expect(await errorOf(server.call('ServerLive', {}))).toMatchObject({ code: 'UNAVAILABLE', unreachable: true });
      return socketsTo(port).length - before;
    };
    expect(await attempt()).toBe(1);
    for (const pause of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
      vi.advanceTimersByTime(pause - 1);
      expect([pause, await attempt()]).toEqual([pause, 0]);
      vi.advanceTimersByTime(1);
      expect([pause, await attempt()]).toEqual([pause, 1]);
    }
  });
});

describe('a tritonserver', () => {
  let triton: Triton;
  const start = (ports?: Triton) =>
    startTriton({
      repository: 'test/models',
      modelControl: 'explicit',
      loadModels: ['vllm-toy'],
      ...(ports && { ports }),
    });
  beforeAll(async () => {
    triton = await start();
  });
  afterAll(() => triton.stop());

  it('is reached over one connection that does not delay small packets', async () => {
    const noDelay = vi.spyOn(net.Socket.prototype, 'setNoDelay');
    const server = remoteServer(triton.grpcPort);
    expect(await Promise.all([server.call('ServerLive', {}), server.call('ServerLive', {})])).toEqual([live, live]);
    expect(socketsTo(triton.grpcPort)).toHaveLength(1);
    expect(noDelay.mock.calls).toContainEqual([true]);
    expect(noDelay.mock.contexts).toContain(socketsTo(triton.grpcPort)[0]);
    noDelay.mockRestore();
    await server.close();
  });

  it('loses its calls when the client closes', async () => {
    const server = remoteServer(triton.grpcPort);
    const stream = pulled(server, toyRequest({ tokens: 5, hold_at: 1, tag: 'closed' }));
    await stream.next();
    const other = remoteServer(triton.grpcPort);
    await countOf(other, 'closed', { until: 'held' });
    await server.close();
    expect(await errorOf(batchesOf(stream))).toEqual({
      code: 'CANCELLED',
      message: 'The channel is closed.',
      unreachable: false,
    });
    expect(await countOf(other, 'closed', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
    await other.close();
  });

  it('that stands still is given up when it leaves a ping unanswered, and used again when it goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const server = remoteServer(triton.grpcPort, { keepaliveInterval: 300_000 });
    const stream = pulled(server, toyRequest({ tokens: 5, hold_at: 1, tag: 'still' }));
    await stream.next();
    await countOf(server, 'still', { until: 'held' });
    await triton.kill('SIGSTOP');
    onTestFinished(() => triton.kill('SIGCONT'));
    const waiting = errorOf(batchesOf(stream));
    vi.advanceTimersByTime(300_000);
    vi.advanceTimersByTime(20_000);
    expect(await waiting).toEqual({
      code: 'UNAVAILABLE',
      message: 'The server did not respond to a keepalive ping.',
      unreachable: true,
    });
    await triton.kill('SIGCONT');
    expect(await server.call('ServerLive', {})).toEqual(live);
    expect(socketsTo(triton.grpcPort)).toHaveLength(2);
    await server.close();
  });

  it('gives the status and the whole text of an error where that is asked for', async () => {
    const server = remoteServer(triton.grpcPort);
    const error = { code: 'INTERNAL', unreachable: false };
    const metadata = { triton_grpc_error: 'true' };
    const failed = (error_text: string) =>
      errorOf(batchesOf(pulled(server, toyRequest({ tokens: 9, error_at: 2, error_text }), { metadata })));
    expect(await failed('für 100 %')).toEqual({ ...error, message: 'Error generating stream: für 100 %' });
    expect(await failed('out of paper ')).toEqual({ ...error, message: 'Error generating stream: out of paper ' });
    await server.close();
  });

  it('gives an error text whole that fills many frames of headers, and goes on', async () => {
    const server = remoteServer(triton.grpcPort);
    const story = 'long story'.repeat(20_000);
    const failing = toyRequest({ tokens: 2, error_at: 1, error_text: story, context: 1e6 });
    const error = await errorOf(batchesOf(pulled(server, failing, { metadata: { triton_grpc_error: 'true' } })));
    expect(error).toEqual({ code: 'INTERNAL', message: `Error generating stream: ${story}`, unreachable: false });
    expect(await server.call('ServerLive', {})).toEqual(live);
    expect(socketsTo(triton.grpcPort)).toHaveLength(1);
    await server.close();
  });

  it('that is killed fails its calls, and is reached again when it is back', async () => {
    const server = remoteServer(triton.grpcPort);
    const stream = pulled(server, toyRequest({ tokens: 5, delay_ms: 3_600_000 }));
    const first = await stream.next();
    const running = errorOf(batchesOf(stream));
    await triton.kill('SIGKILL');
    expect(first.done).toBe(false);
    expect(await running).toEqual(broken);
    const refused = {
      code: 'UNAVAILABLE',
      message: `No connection to 127.0.0.1:${triton.grpcPort}: connect ECONNREFUSED 127.0.0.1:${triton.grpcPort}.`,
      unreachable: true,
    };
    const errors = await Promise.all(Array.from({ length: 50 }, () => errorOf(server.call('ServerLive', {}))));
    expect(errors).toEqual(Array.from({ length: 50 }, () => refused));
    // One connection that broke, one attempt that failed: the other calls did not wait for another.
    expect(socketsTo(triton.grpcPort)).toHaveLength(2);
    triton = await start(triton);
    expect(await server.call('ServerLive', {})).toEqual(live);
    expect(await textsOf(pulled(server, toyRequest({ tokens: 2 })))).toEqual([' w1', ' w2', '']);
    expect(socketsTo(triton.grpcPort)).toHaveLength(3);
    await server.close();
  });
});
