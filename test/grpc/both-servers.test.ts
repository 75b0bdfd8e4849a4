import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChannelOptions } from '../../src/servers/remote/channel.ts';
import type { RemoteServer } from '../../src/servers/remote/remote-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { startTriton } from '../support/triton.ts';
import { CertificateMaker } from './certificates.ts';
import { grpcJsServer } from './grpc-js-server.ts';
import { batchesOf, errorOf, remoteServer, textsOf, toyRequest } from './remote.ts';

/** A server that the client is tried with. */
interface Peer {
  readonly port: number;
  /** Ends as a server should: what runs is finished. */
  readonly stop: () => Promise<void>;
  /** Ends at once. */
  readonly kill: () => Promise<void>;
  /** Another one in its place. */
  readonly again: () => Promise<Peer>;
}

const maker = new CertificateMaker();
const authority = maker.authority('authority');
const certificate = maker.signed('server', { by: 'authority', names: 'DNS:localhost' });
afterAll(() => maker.remove());

async function tritonPeer(isSecure: boolean, ports?: Parameters<typeof startTriton>[0]['ports']): Promise<Peer> {
  const triton = await startTriton({
    repository: 'test/models',
    modelControl: 'explicit',
    loadModels: ['add-one', 'vllm-toy'],
    ...(ports && { ports }),
    extraArguments: isSecure
      ? [
          '--grpc-use-ssl=1',
          `--grpc-server-cert=${certificate.certificateFile}`,
          `--grpc-server-key=${certificate.keyFile}`,
        ]
      : [],
  });
  return {
    port: triton.grpcPort,
    stop: async () => {
      await triton.kill('SIGTERM');
      await triton.closed;
    },
    kill: () => triton.kill('SIGKILL'),
    again: () => tritonPeer(isSecure, triton),
  };
}

async function grpcJsPeer(isSecure: boolean, port = 0): Promise<Peer> {
  const server = await grpcJsServer({ port, ...(isSecure && { certificate }) });
  return {
    port: server.port,
    stop: server.stop,
    kill: async () => server.kill(),
    again: () => grpcJsPeer(isSecure, server.port),
  };
}

const words = (count: number) => [...Array.from({ length: count }, (_, at) => ` w${at + 1}`), ''];

/** Numbers to add one to, so many that they fill so many bytes. */
function numbers(count: number) {
  const data = Buffer.alloc(count * 4);
  const sum = Buffer.alloc(count * 4);
  for (let at = 0; at < count; at++) {
    data.writeInt32LE(at, at * 4);
    sum.writeInt32LE(at + 1, at * 4);
  }
  const inputs = [{ name: 'number', datatype: 'INT32', shape: [count], data } as const];
  return { request: { model: 'add-one', id: '', inputs }, sum };
}

/** Waits for the pause after an attempt that failed. */
async function untilReached(client: RemoteServer): Promise<void> {
  await vi.waitUntil(() => client.call('ServerLive', {}).catch(() => undefined), 60_000);
}

describe.each([
  ['tritonserver', tritonPeer, false],
  ['tritonserver with TLS', tritonPeer, true],
  ['a server of grpc-js', grpcJsPeer, false],
  ['a server of grpc-js with TLS', grpcJsPeer, true],
] as const)('%s', (_name, start, isSecure) => {
  let peer: Peer;
  let client: RemoteServer;
  const options: Partial<ChannelOptions> = isSecure ? { host: 'localhost', secure: { ca: authority.cert } } : {};
  beforeAll(async () => {
    peer = await start(isSecure);
    client = remoteServer(peer.port, options);
  });
  afterAll(async () => {
    await client.close();
    await peer.kill();
  });

  it('answers the calls of the protocol', async () => {
    expect(await client.call('ServerLive', {})).toEqual({ live: true });
    expect(await client.call('ServerReady', {})).toEqual({ ready: true });
    expect(await client.call('ModelReady', { name: 'add-one' })).toEqual({ ready: true });
    expect(await client.call('ModelMetadata', { name: 'add-one' })).toEqual({
      name: 'add-one',
      versions: ['1'],
      platform: 'python',
      inputs: [{ name: 'number', datatype: 'INT32', shape: [-1] }],
      outputs: [{ name: 'sum', datatype: 'INT32', shape: [-1] }],
    });
  });

  // Around the size of a frame, of the first window, of our own window for a stream, and far beyond them all.
  it.each([1, 4080, 4096, 4097, 16_384, 16_385, 131_072, 131_073, 1_000_000])(
    'takes and gives %i numbers, in one answer and in a stream',
    async (count) => {
      const { request, sum } = numbers(count);
      expect((await client.infer(request)).raw('sum')?.equals(sum)).toBe(true);
      const streamed = (await batchesOf(pulled(client, request))).flat();
      expect(streamed.map((response) => response.raw('sum')?.equals(sum))).toEqual([true]);
    },
  );

  it('streams to many at a time, each its own answer', async () => {
    const counts = Array.from({ length: 100 }, (_, at) => at);
    const responses = await Promise.all(counts.map((tokens) => textsOf(pulled(client, toyRequest({ tokens })))));
    expect(responses).toEqual(counts.map(words));
  });

  it('tells of a fault before the answer, within it, and in the trailers', async () => {
    const unknown = {
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'nope' is not found",
      unreachable: false,
    };
    expect(await errorOf(client.call('ModelMetadata', { name: 'nope' }))).toEqual(unknown);
    // More than fits into one frame of headers.
    const story = 'long story '.repeat(2_000).trim();
    const failing = toyRequest({ tokens: 9, error_at: 2, error_text: story, context: 1e6 });
    const message = `Error generating stream: ${story}`;
    expect(await errorOf(batchesOf(pulled(client, failing)))).toEqual({ code: 'UNKNOWN', message, unreachable: false });
    const metadata = { triton_grpc_error: 'true' };
    const error = { code: 'INTERNAL', message, unreachable: false };
    expect(await errorOf(batchesOf(pulled(client, failing, { metadata })))).toEqual(error);
    expect(await client.call('ServerLive', {})).toEqual({ live: true });
  });

  it('takes large headers', async () => {
    const metadata = { 'x-large': 'large '.repeat(1_000).trim() };
    expect(await client.call('ServerLive', {}, { metadata })).toEqual({ live: true });
  });

  it('hears of the end of a call, by its reader, its signal and its deadline', async () => {
    const hold = async (
      leave: (stream: AsyncIterableIterator<unknown>, abort: AbortController) => Promise<unknown>,
    ) => {
      const tag = randomUUID();
      const abort = new AbortController();
      const stream = pulled(client, toyRequest({ tokens: 9, hold_at: 1, tag }), { signal: abort.signal });
      await stream.next();
      const counted = (until: string) => textsOf(pulled(client, toyRequest({ count_of: tag, until })));
      await counted('held');
      await leave(stream, abort);
      expect(JSON.parse((await counted('cancelled')).join(''))).toMatchObject({ state: 'cancelled' });
    };
    await hold(async (stream) => stream.return?.());
    await hold(async (stream, abort) => {
      abort.abort();
      expect((await errorOf(stream.next())).code).toBe('CANCELLED');
    });
    const late = pulled(client, toyRequest({ tokens: 9, hold_at: 0 }), { timeout: 50 });
    expect((await errorOf(batchesOf(late))).message).toBe('No response within 50 ms.');
  });

  it('that is asked to end finishes what runs, and is reached again when it is back', async () => {
    const stream = pulled(client, toyRequest({ tokens: 3, delay_ms: 100 }));
    const first = await stream.next();
    const stopped = peer.stop();
    expect(
      [...(first.value ?? []), ...(await batchesOf(stream)).flat()].map((each) => each.text('text_output')),
    ).toEqual(words(3));
    await stopped;
    expect(await errorOf(client.call('ServerLive', {}))).toMatchObject({ code: 'UNAVAILABLE', unreachable: true });
    peer = await peer.again();
    await untilReached(client);
    expect(await textsOf(pulled(client, toyRequest({ tokens: 3 })))).toEqual(words(3));
  });

  it('that dies breaks what runs, and is reached again when it is back', async () => {
    const stream = pulled(client, toyRequest({ tokens: 3, delay_ms: 3_600_000 }));
    await stream.next();
    const running = errorOf(batchesOf(stream));
    await peer.kill();
    expect(await running).toMatchObject({ code: 'UNAVAILABLE', unreachable: true });
    peer = await peer.again();
    await untilReached(client);
    expect(await textsOf(pulled(client, toyRequest({ tokens: 3 })))).toEqual(words(3));
  });
});
