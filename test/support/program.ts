import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a run of a program came to. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Ends it before, with all that it has started. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs any program to its end. */
export async function runProgram(
  program: string,
  programArguments: readonly string[],
  { folder, environment = {}, signal }: ProgramOptions = {},
): Promise<Outcome> {
  const child = spawn(program, programArguments, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    // A group of its own, which can be ended as a whole.
    detached: signal !== undefined,
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  const end = (): void => void process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  signal?.addEventListener('abort', end, { once: true });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  signal?.removeEventListener('abort', end);
  return { code, stdout, stderr };
}
