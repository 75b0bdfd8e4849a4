import http2 from 'node:http2';
import { exchange } from './exchange.ts';
import type { Random } from './random.ts';

const service = '/inference.GRPCInferenceService/';
const methods = [
  'ServerLive',
  'ServerReady',
  'ServerMetadata',
  'ModelReady',
  'ModelMetadata',
  'ModelConfig',
  'ModelStatistics',
  'ModelInfer',
  'ModelStreamInfer',
  'RepositoryIndex',
  'SystemSharedMemoryStatus',
  'Nothing',
  '../..',
];

/** Milliseconds after which a call counts as hung. */
const patience = 25_000;

/** Garbage on the gRPC port: raw bytes, or a call whose messages are none. What goes wrong, if anything. */
export async function grpcAttack(random: Random, port: number): Promise<string | undefined> {
  if (!random.chance(0.3)) return call(random, port);
  const start = random.pick(['', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']);
  const bytes = Buffer.concat([Buffer.from(start), random.bytes(random.below(300))]);
  const { isOver } = await exchange(port, bytes, { halfCloses: true });
  return isOver ? undefined : `gRPC port hung on ${bytes.toString('hex')}`;
}

function call(random: Random, port: number): Promise<string | undefined> {
  const path = service + random.pick(methods);
  const headers = {
    ':method': 'POST',
    ':path': path,
    'content-type': random.pick(['application/grpc', 'application/grpc', 'application/grpc+proto', 'text/plain']),
    te: 'trailers',
    'grpc-timeout': random.pick(['20S', '1n', '99999999H', 'x', '']),
    'grpc-encoding': random.pick(['identity', 'gzip', 'deflate', 'zstd']),
    ...Object.fromEntries(random.times(3, () => [`x-${random.below(50)}`, 'y'.repeat(random.below(300))])),
  };
  const body = Buffer.concat(random.times(3, () => message(random)));
  return new Promise((resolve) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const finish = (error?: string): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(error);
    };
    const timer = setTimeout(() => finish(`call to ${path} hung: ${body.toString('hex')}`), patience);
    session.on('error', () => finish());
    const stream = session.request(headers);
    let status: unknown;
    let text = '';
    const take = (value: Record<string, unknown>): void => {
      status ??= value['grpc-status'];
      text += JSON.stringify(value['grpc-message'] ?? '');
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('error', () => finish());
    stream.on('close', () => finish(/Unexpected error/.test(text) ? `${path}: ${String(status)} ${text}` : undefined));
    stream.resume();
    stream.end(body);
  });
}

function message(random: Random): Buffer {
  const payload = random.chance(0.3) ? Buffer.from('\n\x07nowhere', 'latin1') : random.bytes(random.below(60));
  const head = Buffer.alloc(5);
  head[0] = random.pick([0, 0, 0, 1, 7]);
  head.writeUInt32BE(random.pick([payload.length, payload.length, payload.length, 0xffffffff, payload.length + 5]), 1);
  return Buffer.concat([head, payload]);
}
