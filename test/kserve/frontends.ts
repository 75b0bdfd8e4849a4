import pino from 'pino';
import { createKserveGrpc } from '../../src/apis/kserve/grpc-frontend.ts';
import { createKserveHttp } from '../../src/apis/kserve/http-frontend.ts';
import { openBook } from '../../src/keys/key-book.ts';
import { KeyRing } from '../../src/keys/key-ring.ts';
import { digestOf } from '../../src/keys/secrets.ts';
import type { InferenceServer } from '../../src/kserve/server.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { LocalRates } from '../../src/limits/local-rates.ts';
import { startTriton, type Triton } from '../support/triton.ts';

/** Where the two frontends of a server listen. */
export interface Frontends {
  readonly httpPort: number;
  readonly grpcPort: number;
  readonly close: () => Promise<void>;
}

interface FrontendSettings {
  readonly sharedMemory?: boolean;
  readonly maxInputSize?: number;
  readonly apiKey?: string;
}

const loopback = '127.0.0.1';

/** Both KServe frontends in front of a server, on free ports. */
export async function startFrontends(
  server: InferenceServer,
  { sharedMemory = true, maxInputSize = 2 ** 26, apiKey }: FrontendSettings = {},
): Promise<Frontends> {
  const logger = pino({ level: 'silent' });
  const key = apiKey === undefined ? [] : [{ digest: digestOf(apiKey), holder: { id: 'key:test', name: 'test' } }];
  const keys = { ...openBook, isLocked: apiKey !== undefined, ring: new KeyRing(key) };
  const shared = {
    server,
    sharedMemory,
    keys,
    keyLimits: { rates: new LocalRates(), gates: new LocalGates() },
    logger,
  };
  const http = createKserveHttp({ ...shared, maxInputSize });
  const grpc = createKserveGrpc({ ...shared, maxMessageSize: 2 ** 31 - 1 });
  await http.listen({ host: loopback, port: 0 });
  const grpcPort = await grpc.listen({ host: loopback, port: 0 });
  const address = http.server.address();
  if (address === null || typeof address === 'string') throw new Error('The frontend listens on no port');
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), grpc.close()]);
    await server.close();
  };
  return { httpPort: address.port, grpcPort, close };
}

/** A tritonserver with models for every corner of the protocol. */
export function startKserveTriton(): Promise<Triton> {
  return startTriton({
    repository: 'test/kserve/models',
    modelControl: 'explicit',
    loadModels: ['identity', 'batched', 'repeat', 'accumulate'],
  });
}
