import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './environment.ts';
import { freePorts } from './ports.ts';
import { pythonEnvironment } from './python-environment.ts';

/** An MLServer with the models of test/support/mlserver. */
export class MlServer {
  readonly address: string;
  readonly #program: string;
  readonly #folder: string;
  #stop: () => Promise<void> = async () => undefined;

  private constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.address = `127.0.0.1:${port}`;
  }

  static async open(): Promise<MlServer> {
    const programs = await pythonEnvironment('mlserver', 'scripts/mlserver-requirements.txt');
    const folder = await mkdtemp(join(tmpdir(), 'conch-mlserver-'));
    await cp(inRoot('test/support/mlserver'), folder, { recursive: true });
    const [grpc = 0, http] = await freePorts(2);
    // Streams run only in the server's own process.
    const settings = {
      host: '127.0.0.1',
      grpc_port: grpc,
      http_port: http,
      metrics_endpoint: null,
      parallel_workers: 0,
    };
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
    return new MlServer(join(programs, 'python'), folder, grpc);
  }

  start(): void {
    const child = spawn(this.#program, ['-m', 'mlserver.cli.main', 'start', this.#folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const killed = (): boolean => child.kill('SIGKILL');
    process.once('exit', killed);
    child.stderr.resume();
    const exit = once(child, 'exit');
    this.#stop = async () => {
      process.off('exit', killed);
      child.kill('SIGKILL');
      await exit;
    };
  }

  /** Ends it at once, without a response to its running requests. */
  kill(): Promise<void> {
    return this.#stop();
  }

  async close(): Promise<void> {
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
