import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRoot } from './environment.ts';

/** What a run of the program came to. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program to its end. */
export async function runConch(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [inRoot('dist/main.js'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
