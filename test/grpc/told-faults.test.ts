import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { pulled } from '../support/pulled-responses.ts';
import { batchesOf, faultOf, remoteServer, toyRequest } from './remote.ts';
import { respond, scriptedServer } from './scripted-server.ts';

afterEach(() => {
  vi.useRealTimers();
});

const words = 'no such adapter';
/** ModelStreamInferResponse { error_message } without anything else. */
const refusal = frame(Buffer.concat([Buffer.of(0x0a, words.length), Buffer.from(words)]));

/** A call that a server has refused inside the stream, and has not closed yet. */
async function refusedCall() {
  const held: ServerHttp2Stream[] = [];
  const server = await scriptedServer((stream) => {
    respond(stream, { 'grpc-status': '0' });
    stream.write(refusal);
    held.push(stream);
  });
  const client = remoteServer(server.port);
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  const fault = await faultOf(batchesOf(pulled(client, toyRequest('any'))));
  const [stream] = held;
  if (!stream) throw new Error('The call has not come.');
  const closed = new Promise<number | undefined>((resolve) => stream.on('close', () => resolve(stream.rstCode)));
  return { fault, stream, closed };
}

describe('a fault that the server tells inside the stream', () => {
  it('leaves the end of the call to the server: Triton never unloads a model of which such a call was reset', async () => {
    const { fault, stream, closed } = await refusedCall();
    expect(fault).toMatchObject({ code: 'UNKNOWN', message: words });
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
