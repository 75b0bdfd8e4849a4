import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRoot } from './environment.ts';

export interface Conch {
  /** Such as http://127.0.0.1:40123. */
  readonly url: string;
  readonly pid: number;
  /** The log so far, one object per line. */
  readonly log: () => Record<string, unknown>[];
  /** Resolves with the first log line, past or future, that fits. */
  readonly logged: (fits: (line: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>;
  /** The signal or exit code that it ended with; undefined while it runs. */
  readonly ended: () => NodeJS.Signals | number | undefined;
  /** Asks it to stop, and gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

interface ConchOptions {
  /** The built program of the checkout where it is left out. */
  readonly program?: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether to wait until it can answer requests. */
  readonly waitsUntilReady?: boolean;
  /** How long that may take. */
  readonly readyMilliseconds?: number;
}

const pollMilliseconds = 20;
const startMilliseconds = 120_000;

/** Starts the built program on a free port. It does not outlive the test process. */
export async function startConch({
  program = inRoot('dist/main.js'),
  flags = [],
  environment = {},
  waitsUntilReady = true,
  readyMilliseconds = startMilliseconds,
}: ConchOptions): Promise<Conch> {
  const child = spawn(
    process.execPath,
    [program, '--host', '127.0.0.1', '--port', '0', '--log-format', 'json', ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } },
  );
  const killed = (): boolean => child.kill('SIGKILL');
  process.once('exit', killed);
  const log = watchLog(child);
  const stop = async (): Promise<number | null> => {
    process.off('exit', killed);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    return child.exitCode;
  };
  const line = await log.logged(({ message }) => String(message).includes(' listens on '));
  const [, url = ''] = String(line['message']).split(' listens on ');
  if (waitsUntilReady) await untilReady(url, log.log, readyMilliseconds);
  const ended = (): NodeJS.Signals | number | undefined => child.signalCode ?? child.exitCode ?? undefined;
  return { url, pid: child.pid as number, log: log.log, logged: log.logged, ended, stop };
}

async function untilReady(url: string, log: () => unknown, milliseconds: number): Promise<void> {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    const response = await fetch(`${url}/health/ready`);
    await response.arrayBuffer();
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
  throw new Error(`Conch is not ready:\n${JSON.stringify(log(), undefined, 1)}`);
}

function watchLog(child: ChildProcess): Pick<Conch, 'log' | 'logged'> {
  const lines: Record<string, unknown>[] = [];
  const watchers = new Set<() => void>();
  let text = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    const whole = text.split('\n');
    text = whole.pop() ?? '';
    for (const line of whole) if (line !== '') lines.push(JSON.parse(line) as Record<string, unknown>);
    for (const watcher of watchers) watcher();
  });
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
  const logged: Conch['logged'] = (fits) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = lines.find(fits);
        if (!line) return;
        watchers.delete(look);
        child.off('exit', fail);
        resolve(line);
      };
      const fail = (code: number | null): void => reject(new Error(`Conch ended with ${code}: ${errors}`));
      watchers.add(look);
      child.once('exit', fail);
      look();
    });
  return { log: () => lines, logged };
}
