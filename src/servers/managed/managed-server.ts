import { failingStream } from '../../kserve/failing-stream.ts';
import type { ControlCalls, ControlMethod } from '../../kserve/messages.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { ChannelOptions } from '../remote/channel.ts';
import { RemoteServer } from '../remote/remote-server.ts';
import { GuardedChild } from './child.ts';
import { type TritonCommand, tritonCommand } from './command-line.ts';
import { freePorts } from './free-ports.ts';
import { type LogLevel, tritonLogLine } from './log-line.ts';

/** What a managed tritonserver needs, and who hears of its life. */
export interface ManagedOptions {
  readonly command: TritonCommand;
  /** Models of its repositories that run elsewhere; it is not asked for them. */
  readonly hiddenModels: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly channel: Omit<ChannelOptions, 'host' | 'port' | 'secure'>;
  readonly onLog: (level: LogLevel, text: string) => void;
  /** It ended without being asked; it is started again after so many milliseconds. */
  readonly onDown: (reason: string, restartsIn: number) => void;
}

const firstBackoff = 500;
const longestBackoff = 30_000;
/** One that ran this long before it died is started again at once, as if it were its first death. */
const longLife = 60_000;
/** Running requests have ended by then; what is left is unloading. */
const graceSeconds = 10;
const loopback = '127.0.0.1';

/** A tritonserver that Conch starts, watches and restarts; it is reached like any other, over loopback. */
export class ManagedServer implements InferenceServer {
  readonly name = 'tritonserver';
  readonly #options: ManagedOptions;
  #child: GuardedChild | undefined;
  #remote: RemoteServer | undefined;
  #restart: NodeJS.Timeout | undefined;
  #deaths = 0;
  #startedAt = 0;
  #isClosed = false;

  constructor(options: ManagedOptions) {
    this.#options = options;
  }

  /** Starts the program; whether and when it is ready is told by its own health calls. */
  async start(): Promise<void> {
    const [http, grpc, metrics] = await freePorts(loopback, 3);
    if (this.#isClosed) return;
    this.#startedAt = performance.now();
    const { command, environment, channel, onLog } = this.#options;
    this.#remote = new RemoteServer({ ...channel, host: loopback, port: grpc as number });
    this.#child = new GuardedChild({
      command: tritonCommand(command, { http: http as number, grpc: grpc as number, metrics: metrics as number }),
      environment,
      graceSeconds,
      onLine: (line) => onLog(...tritonLogLine(line)),
      onExit: (reason) => this.#onExit(reason),
    });
  }

  async call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']> {
    const answer = await this.#running().call(method, request, options);
    if (method !== 'RepositoryIndex') return answer;
    const { models } = answer as ControlCalls['RepositoryIndex']['response'];
    return { models: models.filter(({ name }) => !this.#options.hiddenModels.includes(name)) };
  }

  async infer(request: InferRequest, options?: CallOptions): Promise<InferResponse> {
    return this.#running().infer(request, options);
  }

  stream(request: InferRequest, options?: CallOptions): AsyncIterableIterator<InferResponse[]> {
    if (this.#remote) return this.#remote.stream(request, options);
    return failingStream(restarting());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await this.#remote?.close();
    await this.#child?.stop();
  }

  #running(): RemoteServer {
    if (this.#remote) return this.#remote;
    throw restarting();
  }

  #onExit(reason: string): void {
    const remote = this.#remote;
    this.#remote = undefined;
    this.#child = undefined;
    void remote?.close();
    if (this.#isClosed) return;
    if (performance.now() - this.#startedAt > longLife) this.#deaths = 0;
    const delay = Math.min(longestBackoff, firstBackoff * 2 ** this.#deaths);
    this.#deaths++;
    this.#restart = setTimeout(() => {
      this.start().catch((error: unknown) => this.#onExit(String(error)));
    }, delay);
    this.#options.onDown(reason, delay);
  }
}

function restarting(): StatusError {
  return new StatusError('UNAVAILABLE', 'tritonserver is being restarted.');
}
