import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { remoteServer } from '../grpc/remote.ts';
import type { Triton } from '../support/triton.ts';
import { type Frontends, startFrontends, startKserveTriton } from './frontends.ts';
import { binaryRequests, controlRequests, generateRequests, inferRequests, pathRequests } from './http-requests.ts';
import { type RawRequest, send } from './raw-request.ts';

let triton: Triton;
let conch: Frontends;

beforeAll(async () => {
  triton = await startKserveTriton();
  await send(triton.httpPort, { path: '/v2/repository/models/broken/load' });
  conch = await startFrontends(remoteServer(triton.grpcPort));
});

afterAll(async () => {
  await conch.close();
  await triton.stop();
});

/** The request stands beside its answer, so that a difference says what was asked. */
async function display(port: number, request: RawRequest): Promise<unknown> {
  const { status, headers, body } = await send(port, request);
  return { request, status, headers, body: body.toString('latin1') };
}

const groups = { pathRequests, controlRequests, inferRequests, binaryRequests, generateRequests };

describe.each(Object.entries(groups))('%s', (_name, requests) => {
  it('are answered byte for byte as Triton answers them', async () => {
    for (const request of requests)
      expect(await display(conch.httpPort, request)).toEqual(await display(triton.httpPort, request));
  });
});

describe('the HTTP frontend', () => {
  const scores = { inputs: [{ name: 'VALUES', datatype: 'FP32', shape: [1, 3], data: [1, 2, 3] }] };

  it('compresses what it is asked to', async () => {
    const path = '/v2/models/batched/infer';
    const ask = (encoding: string) =>
      send(conch.httpPort, { path, body: JSON.stringify(scores), headers: { 'accept-encoding': encoding } });
    const plain = await ask('identity');
    const gzip = await ask('gzip');
    const deflate = await ask('gzip;q=0.5, deflate;q=0.9');
    expect([gzip.headers['content-encoding'], deflate.headers['content-encoding']]).toEqual(['gzip', 'deflate']);
    expect([gunzipSync(gzip.body), inflateSync(deflate.body)]).toEqual([plain.body, plain.body]);
  });

  it('refuses bodies that are too large, compressed or not, and JSON that is too deep', async () => {
    const small = await startFrontends(remoteServer(triton.grpcPort), { maxInputSize: 1000 });
    const path = '/v2/models/identity/infer';
    const ask = async (request: Omit<RawRequest, 'path'>) => {
      const { status, body } = await send(small.httpPort, { path, ...request });
      return `${status} ${body.toString()}`;
    };
    expect(await ask({ body: 'x'.repeat(1001) })).toBe(
      '400 {"error":"Request JSON size of 1001 bytes exceeds the maximum allowed value of 1000 bytes. Use --http-max-input-size to increase the limit."}',
    );
    const bomb = gzipSync(' '.repeat(100_000));
    expect(await ask({ body: bomb, headers: { 'content-encoding': 'gzip' } })).toMatch(/^400 .*exceeds the maximum/);
    expect(await ask({ body: 'not gzip', headers: { 'content-encoding': 'gzip' } })).toMatch(
      /^400 .*Unable to decompress/,
    );
    expect(await ask({ body: '['.repeat(101) })).toMatch(/^400 .*nests deeper/);
    await small.close();
  });

  it('refuses shared memory where the models run elsewhere', async () => {
    const remote = await startFrontends(remoteServer(triton.grpcPort), { sharedMemory: false });
    const response = await send(remote.httpPort, { method: 'GET', path: '/v2/systemsharedmemory/status' });
    expect([response.status, response.body.toString()]).toEqual([
      501,
      expect.stringContaining('shared memory is not available'),
    ]);
    await remote.close();
  });

  it('wants the key for all but its health', async () => {
    const guarded = await startFrontends(remoteServer(triton.grpcPort), { apiKey: 'secret' });
    const status = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      return (await send(guarded.httpPort, { method: 'GET', path, headers })).status;
    };
    expect(await status('/v2')).toBe(401);
    expect(await status('/v2', 'Bearer wrong')).toBe(401);
    expect(await status('/v2', 'Bearer secret')).toBe(200);
    expect(await status('/v2/health/live')).toBe(200);
    await guarded.close();
  });

  it('cancels the inference of a client that leaves', async () => {
    const abort = new AbortController();
    // A stream that is cancelled just as a response leaves can bring tritonserver 2.51 down: responses are far between.
    const response = await fetch(`http://127.0.0.1:${conch.httpPort}/v2/models/repeat/generate_stream`, {
      method: 'POST',
      body: JSON.stringify({ COUNT: 10_000, DELAY: 0.2 }),
      signal: abort.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(await running()).toBe(1);
    abort.abort();
    await vi.waitUntil(async () => (await running()) === 0, { timeout: 60_000, interval: 50 });
  });

  /** How many requests the model that repeats is working on. */
  async function running(): Promise<number> {
    const { body } = await send(triton.httpPort, { path: '/v2/models/repeat/generate', body: '{"COUNT":-1}' });
    const { INDEX }: { INDEX: number } = JSON.parse(body.toString());
    return INDEX;
  }
});
