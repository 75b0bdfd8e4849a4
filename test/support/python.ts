import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRoot, pythonProgram, tokenizersFolder } from './environment.ts';

export interface PythonResult {
  readonly stdout: string;
  readonly stderr: string;
  /** null when a signal ended it. */
  readonly exitCode: number | null;
}

export interface PythonOptions {
  /** What the script reads from standard input. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Another interpreter than that of the tests' virtual environment. */
  readonly program?: string;
}

/** Runs a script of the checkout (a path from its root) in the tests' virtual environment. */
export async function python(
  script: string,
  scriptArguments: readonly string[] = [],
  { input = '', environment = {}, signal, program = pythonProgram() }: PythonOptions = {},
): Promise<PythonResult> {
  const child = spawn(program, [inRoot(script), ...scriptArguments], {
    cwd: inRoot('.'),
    stdio: 'pipe',
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUNBUFFERED: '1',
      CONCH_TEST_TOKENIZERS: tokenizersFolder(),
      ...environment,
    },
    ...(signal && { signal }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A script that ends without reading its input is no fault of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { stdout, stderr, exitCode: child.exitCode };
}

/** What a script prints as JSON; a script that fails fails the test with what it complained of. */
export async function pythonJson(
  script: string,
  scriptArguments: readonly string[],
  options: PythonOptions = {},
): Promise<unknown> {
  const { stdout, stderr, exitCode } = await python(script, scriptArguments, options);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
