import { once } from 'node:events';
import http2 from 'node:http2';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.ts';

/** A gRPC message that says it is compressed. */
function compressed(bytes: Buffer): Buffer {
  const head = Buffer.of(1, 0, 0, 0, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

it('a message that cannot be unpacked ends its call and nothing else, also behind one that takes longer', async () => {
  const conch = await startGateway('--enable-kserve-frontends', '--kserve-http-port=0', '--kserve-grpc-port=0');
  const line = await conch.logged(({ message }) => String(message).includes('grpc://'));
  const client = http2.connect(String(line['message']).replace(/^.*grpc:/, 'http:'));
  onTestFinished(() => client.destroy());
  const call = client.request({
    ':method': 'POST',
    ':path': '/inference.GRPCInferenceService/ModelStreamInfer',
    'content-type': 'application/grpc',
    'grpc-encoding': 'gzip',
    te: 'trailers',
  });
  const closed = once(call.resume(), 'close');
  call.end(Buffer.concat([compressed(gzipSync(Buffer.alloc(32 * 2 ** 20))), compressed(Buffer.from('noise'))]));
  await closed;
  expect((await fetch(`${conch.url}/health/live`)).status).toBe(200);
  expect(await conch.stop()).toBe(0);
});
