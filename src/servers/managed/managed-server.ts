import type { ChannelOptions } from '../remote/channel.ts';
import { GuardedChild } from './child.ts';
import { type TritonCommand, type TritonPorts, tritonCommand } from './command-line.ts';
import { freePorts } from './free-ports.ts';
import { type LogLevel, tritonLogLine } from './log-line.ts';
import { loopback, MovingServer } from './moving-server.ts';

/** How a managed tritonserver runs, and who gets its events. */
export interface ManagedOptions {
  readonly command: TritonCommand;
  /** Models of its repositories that run elsewhere; its index hides them. */
  readonly hiddenModels: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly channel: Omit<ChannelOptions, 'host' | 'port' | 'secure'>;
  readonly onLog: (level: LogLevel, text: string) => void;
  /** It ended unexpectedly; it restarts after this many milliseconds. */
  readonly onDown: (reason: string, restartsIn: number) => void;
  /** It started on these ports; undefined: it no longer runs. */
  readonly onPorts?: (ports: TritonPorts | undefined) => void;
}

const firstBackoff = 500;
const longestBackoff = 30_000;
/** After a run of at least this long, the restart has the first backoff again. */
const longLife = 60_000;
/** Time to unload: running requests have ended before. */
const graceSeconds = 10;

/** A tritonserver that Conch starts, watches and restarts. */
export class ManagedServer extends MovingServer {
  readonly kind = 'managed';
  readonly #options: ManagedOptions;
  #child: GuardedChild | undefined;
  #restart: NodeJS.Timeout | undefined;
  #deaths = 0;
  #startedAt = 0;
  #isClosed = false;

  constructor(options: ManagedOptions) {
    super({ ...options, repositories: options.command.repositories });
    this.#options = options;
  }

  /** Starts the program; its health calls tell when it is ready. */
  async start(): Promise<void> {
    const [http = 0, grpc = 0, metrics = 0] = await freePorts(loopback, 3);
    if (this.#isClosed) return;
    this.#startedAt = performance.now();
    const { command, environment, onLog, onPorts } = this.#options;
    const ports = { http, grpc, metrics };
    this.#child = new GuardedChild({
      command: tritonCommand(command, ports),
      environment,
      graceSeconds,
      onLine: (line) => onLog(...tritonLogLine(line)),
      onExit: (reason) => this.#onExit(reason),
    });
    this.moveTo(ports);
    onPorts?.(ports);
  }

  /** Ends the program, which then restarts as after any other end. */
  override async restart(): Promise<void> {
    await this.#child?.stop();
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await super.close();
    await this.#child?.stop();
  }

  #onExit(reason: string): void {
    const { onDown, onPorts } = this.#options;
    this.#child = undefined;
    this.moveTo(undefined);
    onPorts?.(undefined);
    if (this.#isClosed) return;
    if (performance.now() - this.#startedAt > longLife) this.#deaths = 0;
    const delay = Math.min(longestBackoff, firstBackoff * 2 ** this.#deaths);
    this.#deaths++;
    this.#restart = setTimeout(() => {
      this.start().catch((error: unknown) => this.#onExit(String(error)));
    }, delay);
    onDown(reason, delay);
  }
}
