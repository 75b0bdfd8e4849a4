import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { encodeStreamResponse } from '../../src/kserve/infer-response-codec.ts';
import { LocalResponse } from '../../src/kserve/local-response.ts';
import { numberTensor, textTensor } from '../../src/kserve/tensors.ts';
import { RemoteServer } from '../../src/servers/remote/remote-server.ts';

/** A token as Triton's vLLM backend sends it, framed for gRPC. */
export function tokenFrame(text: string, reason?: 'stop'): Buffer {
  const count = (name: string, value: number) =>
    numberTensor(name, { datatype: 'UINT32', values: [value], shape: [1] });
  const response = new LocalResponse({
    model: 'm',
    version: '1',
    id: '',
    final: reason !== undefined,
    outputs: [
      textTensor('text_output', [text]),
      textTensor('finish_reason', [reason ?? 'None']),
      count('num_input_tokens', 5),
      count('num_output_tokens', 1),
    ],
  });
  return frame(encodeStreamResponse(response));
}

/** A gRPC server in this process: `serve` sends the messages of each inference. It makes no promise for any of them. */
export async function mockTriton(serve: (stream: ServerHttp2Stream) => void) {
  const server = http2.createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.resume();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    serve(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const remote = new RemoteServer({
    host: '127.0.0.1',
    port,
    connectTimeout: 30_000,
    keepaliveInterval: 0,
    maxMessageSize: 2 ** 20,
    metadata: {},
  });
  const close = async (): Promise<void> => {
    await remote.close();
    server.close();
  };
  return { remote, close };
}
