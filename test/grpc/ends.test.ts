import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { encodeStreamEnd } from '../../src/kserve/infer-response-codec.ts';
import type { RemoteServer } from '../../src/servers/remote/remote-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { batchesOf, errorOf, remoteServer, toyRequest } from './remote.ts';
import { respond, scriptedServer } from './scripted-server.ts';

afterEach(() => {
  vi.useRealTimers();
});

const words = 'no such adapter';
/** ModelStreamInferResponse { error_message } without anything else. */
const refusal = frame(Buffer.concat([Buffer.of(0x0a, words.length), Buffer.from(words)]));

/** A call of which a server has sent one message, and which it has not closed yet. */
async function heldCall<Result>(message: Uint8Array, read: (client: RemoteServer) => Promise<Result>) {
  const held: ServerHttp2Stream[] = [];
  const server = await scriptedServer((stream) => {
    respond(stream, { 'grpc-status': '0' });
    stream.write(message);
    held.push(stream);
  });
  const client = remoteServer(server.port);
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  const result = await read(client);
  const [stream] = held;
  if (!stream) throw new Error('The call has not come.');
  const closed = new Promise<number | undefined>((resolve) => stream.on('close', () => resolve(stream.rstCode)));
  return { result, stream, closed };
}

const refusedCall = () => heldCall(refusal, (client) => errorOf(batchesOf(pulled(client, toyRequest('any')))));

describe('a fault that the server tells inside the stream', () => {
  it('leaves the end of the call to the server: Triton never unloads a model of which such a call was reset', async () => {
    const { result, stream, closed } = await refusedCall();
    expect(result).toMatchObject({ code: 'UNKNOWN', message: words });
    // What comes behind the fault is read, and told to nobody.
    stream.end(refusal);
    expect(await closed).toBe(0);
    expect(stream.aborted).toBe(false);
  });

  it('resets a call that the server does not close in ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { stream, closed } = await refusedCall();
    vi.advanceTimersByTime(9_999);
    await new Promise(setImmediate);
    expect(stream.closed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await closed).toBe(8);
  });
});

describe('a reader that leaves', () => {
  const requested = { id: '', model: 'any', version: '1' };
  const last = frame(encodeStreamEnd(requested));
  const token = frame(Buffer.of(0x12, 0x00));

  it('after the last response leaves the end of the call to the server', async () => {
    const { stream, closed } = await heldCall(last, async (client) => {
      for await (const _ of pulled(client, toyRequest('any'))) break;
    });
    stream.end();
    expect(await closed).toBe(0);
    expect(stream.aborted).toBe(false);
  });

  it('by its signal after the last response does so too', async () => {
    const removed = new AbortController();
    const { result, stream, closed } = await heldCall(last, async (client) => {
      const responses = pulled(client, toyRequest('any'), { signal: removed.signal });
      await responses.next();
      removed.abort();
      return errorOf(responses.next());
    });
    expect(result).toMatchObject({ code: 'CANCELLED' });
    stream.end();
    expect(await closed).toBe(0);
    expect(stream.aborted).toBe(false);
  });

  it('before the last response resets the call, so that the server stops', async () => {
    const { closed } = await heldCall(token, async (client) => {
      for await (const _ of pulled(client, toyRequest('any'))) break;
    });
    expect(await closed).toBe(8);
  });
});
