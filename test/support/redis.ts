import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.ts';

/** A Redis server of our own, on a port of 127.0.0.1. It never outlives the process that started it. */
export class Redis {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conch-redis-'));
  readonly #port: number;
  readonly #password: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, password: string) {
    this.#port = port;
    this.#password = password;
  }

  static async start({ password = '' }: { readonly password?: string } = {}): Promise<Redis> {
    const [port] = await freePorts(1);
    const redis = new Redis(port ?? 0, password);
    await redis.begin();
    return redis;
  }

  /** The URL, with the password. */
  get url(): string {
    return `redis://${this.#password === '' ? '' : `:${this.#password}@`}${this.host}`;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Runs a command by redis-cli, and gives the lines that it prints. */
  command(...words: readonly string[]): string[] {
    const access = this.#password === '' ? [] : ['--no-auth-warning', '-a', this.#password];
    const printed = execFileSync('redis-cli', ['-p', String(this.#port), ...access, ...words], { encoding: 'utf8' });
    return printed.split('\n').filter((line) => line !== '');
  }

  /** Starts it where it has been ended, at the same port; it holds nothing then. */
  async begin(): Promise<void> {
    const location = ['--bind', '127.0.0.1', '--port', String(this.#port), '--dir', this.#folder];
    const access = this.#password === '' ? [] : ['--requirepass', this.#password];
    const words = ['--pdeathsig=KILL', 'redis-server', ...location, '--save', '', ...access];
    const child = spawn('setpriv', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`Redis ended:\n${log}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** Stops it in the middle of whatever it does, without a word; `thaw` lets it go on. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await closed;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}
