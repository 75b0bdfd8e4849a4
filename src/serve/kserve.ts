import { AdmittedServer } from '../apis/kserve/admitted-server.ts';
import { DrainingServer } from '../apis/kserve/draining-server.ts';
import { createKserveGrpc } from '../apis/kserve/grpc-frontend.ts';
import { createKserveHttp } from '../apis/kserve/http-frontend.ts';
import type { KserveOptions } from '../apis/kserve/options.ts';
import type { CommandInput } from '../config/load.ts';
import type { ConnectionOptions } from '../http/connections.ts';
import type { DrainState } from '../http/draining.ts';
import type { Admission } from '../models/admission.ts';
import type { Recorder } from '../request-watch.ts';
import type { Balancer } from '../servers/balanced/balancer.ts';
import { CombinedServer } from '../servers/combined/combined-server.ts';
import { listening } from './listening.ts';
import type { ServerSet } from './servers.ts';

/** What the frontends need besides the settings. */
interface KserveParts extends Pick<KserveOptions, 'keys' | 'keyLimits' | 'logger'> {
  readonly connections: ConnectionOptions;
  readonly record: Recorder;
  readonly draining: DrainState;
  readonly admission: Admission;
  /** Whether another worker logs where they listen. */
  readonly isQuiet: boolean;
  readonly servers: ServerSet;
  readonly balancer: Balancer;
}

/** Starts the KServe frontends for all servers. Returns the function that stops them. */
export async function startKserve(
  settings: CommandInput['settings'],
  { servers, balancer, admission, draining, keys, keyLimits, logger, record, connections, isQuiet }: KserveParts,
): Promise<() => Promise<void>> {
  const { host, kserveHttpPort, kserveGrpcPort, httpMaxInputSize, maxMessageSize } = settings;
  const combined = new CombinedServer(() => servers.current, balancer);
  const options = {
    server: new DrainingServer(new AdmittedServer(combined, admission), draining),
    // Shared memory is on the machine of the server, which is this one only without --triton.
    sharedMemory: settings.triton.length === 0,
    keys,
    keyLimits,
    restrictedApis: settings.openaiRestrictedApi,
    connections,
    clients: settings,
    draining,
    logger,
    record,
  };
  const http = createKserveHttp({ ...options, maxInputSize: httpMaxInputSize });
  const grpc = createKserveGrpc({ ...options, maxMessageSize });
  const close = async (): Promise<void> => {
    await Promise.all([http.close(), grpc.close()]);
  };
  const listenTextResolver = (address: string): string =>
    isQuiet ? `takes KServe requests on ${address}` : `KServe listens on ${address}`;
  try {
    await listening({ host, port: kserveHttpPort, flag: '--kserve-http-port' }, () =>
      http.listen({ host, port: kserveHttpPort, listenTextResolver }),
    );
    const port = await listening({ host, port: kserveGrpcPort, flag: '--kserve-grpc-port' }, () =>
      grpc.listen({ host, port: kserveGrpcPort }),
    );
    logger.info(listenTextResolver(`${connections.tls ? 'grpcs' : 'grpc'}://${host}:${port}`));
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}
