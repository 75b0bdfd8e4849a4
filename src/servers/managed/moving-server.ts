import { failedInference } from '../../kserve/failed-inference.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type {
  CallOptions,
  InferenceServer,
  InferRequest,
  InferResponse,
  ResponseSink,
  RunningInference,
} from '../../kserve/server.ts';
import { ServerRestarting } from '../../kserve/status.ts';
import type { ChannelOptions } from '../remote/channel.ts';
import { RemoteServer } from '../remote/remote-server.ts';
import type { TritonPorts } from './command-line.ts';

interface MovingOptions {
  /** Models of its repositories that run elsewhere; its index hides them. */
  readonly hiddenModels: readonly string[];
  readonly repositories: readonly string[];
  readonly channel: Omit<ChannelOptions, 'host' | 'port' | 'secure'>;
  /** Restarts it, in the process that runs it. */
  readonly restart?: () => Promise<void>;
}

/** The address of the tritonservers that Conch starts. */
export const loopback = '127.0.0.1';

/** A tritonserver on this machine, reached over loopback. It has another port after each start. */
export class MovingServer implements InferenceServer {
  readonly name = 'tritonserver';
  readonly #options: MovingOptions;
  #remote: RemoteServer | undefined;
  #metricsPort: number | undefined;

  constructor(options: MovingOptions) {
    this.#options = options;
  }

  get repositories(): readonly string[] {
    return this.#options.repositories;
  }

  /** The port of its own metrics; undefined while it is down. */
  get metricsPort(): number | undefined {
    return this.#metricsPort;
  }

  /** Sets the ports where it listens now; undefined: it does not run. */
  moveTo(ports: TritonPorts | undefined): void {
    void this.#remote?.close();
    this.#remote = ports && new RemoteServer({ ...this.#options.channel, host: loopback, port: ports.grpc });
    this.#metricsPort = ports?.metrics;
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    const response = await this.#running().call(method, request, options);
    if (method !== 'RepositoryIndex') return response;
    const { models } = response as ControlCalls['RepositoryIndex']['response'];
    return { models: models.filter(({ name }) => !this.#options.hiddenModels.includes(name)) };
  }

  async infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.#running().infer(request, options);
  }

  stream(request: InferRequest, sink: ResponseSink, options?: CallOptions): RunningInference {
    if (this.#remote) return this.#remote.stream(request, sink, options);
    return failedInference(new ServerRestarting('tritonserver'), sink);
  }

  async restart(): Promise<void> {
    await this.#options.restart?.();
  }

  async close(): Promise<void> {
    await this.#remote?.close();
  }

  #running(): RemoteServer {
    if (this.#remote) return this.#remote;
    throw new ServerRestarting('tritonserver');
  }
}
