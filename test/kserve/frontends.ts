import pino from 'pino';
import { createKserveGrpc } from '../../src/apis/kserve/grpc-frontend.ts';
import { createKserveHttp } from '../../src/apis/kserve/http-frontend.ts';
import { openRegistry } from '../../src/keys/key-registry.ts';
import { KeyRing } from '../../src/keys/key-ring.ts';
import { digestOf } from '../../src/keys/secrets.ts';
import type { InferenceServer } from '../../src/kserve/server.ts';
import { LocalGates } from '../../src/limits/local-gates.ts';
import { LocalRates } from '../../src/limits/local-rates.ts';
import type { Conch } from '../support/conch.ts';
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
  const keys = { ...openRegistry, isLocked: apiKey !== undefined, ring: new KeyRing(key) };
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

/** The models of test/kserve/models that can be loaded. */
export const kserveModels = ['identity', 'batched', 'repeat', 'accumulate'];

/** A tritonserver with models for every corner of the protocol. */
export function startKserveTriton(): Promise<Triton> {
  return startTriton({
    repository: 'test/kserve/models',
    modelControl: 'explicit',
    loadModels: kserveModels,
  });
}

/** The flags of a Conch whose frontends listen on free ports. */
export const frontendFlags = ['--enable-kserve-frontends', '--kserve-http-port', '0', '--kserve-grpc-port', '0'];

/** Where the frontends of a Conch listen. */
export async function frontendPorts({ logged }: Conch): Promise<Pick<Frontends, 'httpPort' | 'grpcPort'>> {
  const portOf = async (scheme: string): Promise<number> => {
    const { message } = await logged((line) => String(line['message']).startsWith(`KServe listens on ${scheme}://`));
    return Number(String(message).split(':').at(-1));
  };
  return { httpPort: await portOf('http'), grpcPort: await portOf('grpc') };
}

/** Asks a server, or a frontend in front of it, to load a model. */
export async function loadModel({ httpPort }: Pick<Frontends, 'httpPort'>, name: string): Promise<void> {
  await fetch(`http://${loopback}:${httpPort}/v2/repository/models/${name}/load`, { method: 'POST' });
}
