import http2 from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchesOf, errorOf, remoteServer } from '../grpc/remote.ts';
import { pulled } from '../support/pulled-responses.ts';
import { python } from '../support/python.ts';
import type { Triton } from '../support/triton.ts';
import { type Frontends, startFrontends, startKserveTriton } from './frontends.ts';

let triton: Triton;
let conch: Frontends;

beforeAll(async () => {
  triton = await startKserveTriton();
  conch = await startFrontends(remoteServer(triton.grpcPort));
});

afterAll(async () => {
  await conch.close();
  await triton.stop();
});

async function calls(port: number, part: 'sturdy' | 'fragile'): Promise<Record<string, unknown>> {
  const { stdout, stderr, exitCode } = await python('test/kserve/grpc_calls.py', [], {
    input: JSON.stringify({ port, part }),
  });
  if (exitCode !== 0) throw new Error(stderr);
  const displayed: Record<string, unknown> = JSON.parse(stdout);
  return displayed;
}

const repeat = (count: number, delay: number) => {
  const numbers = Buffer.alloc(4);
  numbers.writeInt32LE(count);
  const seconds = Buffer.alloc(4);
  seconds.writeFloatLE(delay);
  return {
    model: 'repeat',
    id: 'r',
    inputs: [
      { name: 'COUNT', datatype: 'INT32' as const, shape: [1], data: numbers },
      { name: 'DELAY', datatype: 'FP32' as const, shape: [1], data: seconds },
    ],
  };
};

describe('the gRPC frontend', () => {
  it('answers as Triton does, whatever a client does with its calls', async () => {
    const direct = await calls(triton.grpcPort, 'sturdy');
    expect(direct).toMatchObject({
      cancelled: [1, 0],
      overdue: ['DEADLINE_EXCEEDED: Deadline Exceeded', 0],
      health: '0801',
    });
    expect(await calls(conch.grpcPort, 'sturdy')).toEqual(direct);
  });

  it('answers as Triton does what tritonserver 2.51 does not always survive', async () => {
    expect(await calls(conch.grpcPort, 'fragile')).toEqual({
      order: ['0', '1', '2', '3', 'slow', 'slow', 'slow'],
      'true status': 'UNAVAILABLE: voll ä 100%',
    });
  });

  it('refuses what is not gRPC', async () => {
    const session = http2.connect(`http://127.0.0.1:${conch.grpcPort}`);
    const stream = session.request({ ':path': '/v2' });
    const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
    session.destroy();
    expect(status).toBe(415);
  });

  it('lets running calls finish when it stops, and takes no new ones', async () => {
    const stopping = await startFrontends(remoteServer(triton.grpcPort));
    const client = remoteServer(stopping.grpcPort);
    const stream = pulled(client, repeat(20, 0.02));
    await stream.next();
    const closed = stopping.close();
    const responses = (await batchesOf(stream)).flat();
    expect(responses.at(-1)?.raw('INDEX')?.readInt32LE()).toBe(19);
    await closed;
    expect(await errorOf(client.call('ServerLive', {}))).toMatchObject({ code: 'UNAVAILABLE' });
    await client.close();
  });

  it('wants the key for all but its health', async () => {
    const guarded = await startFrontends(remoteServer(triton.grpcPort), { apiKey: 'secret' });
    const stranger = remoteServer(guarded.grpcPort);
    const friend = remoteServer(guarded.grpcPort, { metadata: { authorization: 'Bearer secret' } });
    expect(await stranger.call('ServerLive', {})).toEqual({ live: true });
    expect(await errorOf(stranger.call('ServerMetadata', {}))).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await errorOf(pulled(stranger, repeat(1, 0)).next())).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await friend.call('ServerMetadata', {})).toMatchObject({ name: 'triton' });
    expect((await batchesOf(pulled(friend, repeat(1, 0)))).flat()).toHaveLength(1);
    await Promise.all([stranger.close(), friend.close()]);
    await guarded.close();
  });

  it('refuses shared memory where the models run elsewhere', async () => {
    const remote = await startFrontends(remoteServer(triton.grpcPort), { sharedMemory: false });
    const client = remoteServer(remote.grpcPort);
    const error = await errorOf(client.call('SystemSharedMemoryStatus', {}));
    expect(error).toMatchObject({
      code: 'UNIMPLEMENTED',
      message: expect.stringContaining('shared memory is not available'),
    });
    await client.close();
    await remote.close();
  });
});
