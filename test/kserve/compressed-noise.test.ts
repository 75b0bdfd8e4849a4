import http2 from 'node:http2';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.ts';

/** A message that says it is compressed, and is not. */
const noise = Buffer.concat([Buffer.of(1, 0, 0, 0, 5), Buffer.from('noise')]);

it('messages that cannot be unpacked end their call, however many come together, and nothing else', async () => {
  const conch = await startGateway('--enable-kserve-frontends', '--kserve-http-port=0', '--kserve-grpc-port=0');
  onTestFinished(async () => void (await conch.stop()));
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
  const trailers = new Promise((resolve) => {
    call.on('response', (headers) => headers['grpc-status'] !== undefined && resolve(headers['grpc-message']));
    call.on('trailers', (headers) => resolve(headers['grpc-message']));
  });
  call.resume();
  call.end(Buffer.concat([noise, noise, noise]));
  expect(decodeURIComponent(String(await trailers))).toBe('A message could not be decompressed.');
  expect((await fetch(`${conch.url}/health/live`)).status).toBe(200);
});
