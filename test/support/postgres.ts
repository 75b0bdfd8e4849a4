import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.ts';

/** Where Debian's packages put one folder per version. */
const versions = '/usr/lib/postgresql';

/**
 * Whether the tests of PostgreSQL are to be left out: they are where it is missing, with a line that says so; with CI set
 * nothing is left out, and they fail.
 */
export function isPostgresLeftOut(): boolean {
  if (process.env['CI'] || programs() !== undefined) return false;
  process.stderr.write(`PostgreSQL is not under ${versions}: its tests are left out.\n`);
  return true;
}

interface PostgresOptions {
  /** PEM files of a certificate and its key: then connections without TLS are refused. */
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
}

const user = 'conch';
export const postgresPassword = 'sesame & open';

/** A PostgreSQL server of our own, on a port of 127.0.0.1. It never outlives the process that started it. */
export class Postgres {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conch-postgres-'));
  readonly #programs = programs() ?? missing();
  readonly #account = account();
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(options: PostgresOptions = {}): Promise<Postgres> {
    const [port] = await freePorts(1);
    const postgres = new Postgres(port ?? 0);
    postgres.#make(options);
    await postgres.begin();
    return postgres;
  }

  /** The URL of one of its databases, with the password. */
  url(database = 'postgres'): string {
    return `postgres://${user}:${encodeURIComponent(postgresPassword)}@127.0.0.1:${this.#port}/${database}`;
  }

  /** The server as messages name it. */
  name(database = 'postgres'): string {
    return `PostgreSQL at 127.0.0.1:${this.#port}/${database}`;
  }

  /** Runs SQL by psql, and gives what it prints. */
  query(sql: string, database = 'postgres'): string {
    return execFileSync(join(this.#programs, 'psql'), ['-XAtq', '-c', sql, this.url(database)], { encoding: 'utf8' });
  }

  /** Starts it where it has been ended, at the same port. */
  async begin(): Promise<void> {
    const options = ['-D', join(this.#folder, 'data'), '-p', String(this.#port), '-k', this.#folder];
    const [program = '', ...words] = this.#command('postgres', options);
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#folder });
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`PostgreSQL ended:\n${log}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('ready to accept connections')) resolve();
      });
    });
  }

  /** Ends it and all connections; what it holds is kept. */
  async end(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return;
    const closed = once(this.#child, 'exit');
    // What PostgreSQL calls a fast shutdown: it does not wait for its clients.
    this.#child.kill('SIGINT');
    await closed;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.#folder, { recursive: true });
  }

  #make({ tls }: PostgresOptions): void {
    const password = join(this.#folder, 'password');
    writeFileSync(password, postgresPassword);
    for (const path of [this.#folder, password]) this.#give(path);
    const data = join(this.#folder, 'data');
    const access = ['-U', user, '--auth=scram-sha-256', `--pwfile=${password}`];
    const options = ['-D', data, '-E', 'UTF8', '--locale=C', '--no-sync', ...access];
    const [program = '', ...words] = this.#command('initdb', options);
    execFileSync(program, words, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
    if (!tls) return;
    for (const [from, to] of [
      [tls.certificateFile, join(data, 'server.crt')],
      [tls.keyFile, join(data, 'server.key')],
    ] as const) {
      copyFileSync(from, to);
      chmodSync(to, 0o600);
      this.#give(to);
    }
    writeFileSync(join(data, 'postgresql.auto.conf'), 'ssl = on\n');
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
  }

  /** A program of PostgreSQL's as the user that it shall run as, killed by the kernel when this process ends. */
  #command(name: string, options: readonly string[]): string[] {
    const { uid, gid } = this.#account ?? {};
    const other = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    return ['setpriv', ...other, '--pdeathsig=KILL', join(this.#programs, name), ...options];
  }

  #give(path: string): void {
    if (this.#account) chownSync(path, this.#account.uid, this.#account.gid);
  }
}

/** The folder with the programs of the newest version that is installed. */
function programs(): string | undefined {
  try {
    const newest = readdirSync(versions).toSorted((one, other) => Number(other) - Number(one))[0];
    return newest && join(versions, newest, 'bin');
  } catch {
    return undefined;
  }
}

function missing(): never {
  throw new Error(`PostgreSQL is not under ${versions}: apt-get install postgresql`);
}

/** PostgreSQL refuses to run as root: then another user does it. */
function account(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = ['postgres', 'nobody'].map((name) => lines.find((each) => each.startsWith(`${name}:`))).find(Boolean);
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
