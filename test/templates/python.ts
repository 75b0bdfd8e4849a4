import { spawn } from 'node:child_process';
import { inRoot, pythonProgram } from '../support/environment.ts';

/** What Python made of one job. */
export interface PythonResponse {
  readonly text?: string;
  readonly ids?: number[];
  /** The ids as the vocabulary writes them, for a job that asks for `tokens`. */
  readonly tokens?: string[];
  readonly error?: string;
}

/** Runs the jobs through render.py. */
export async function askPython(jobs: readonly object[]): Promise<PythonResponse[]> {
  const child = spawn(pythonProgram(), [inRoot('test/templates/render.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(JSON.stringify(jobs));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`render.py ended with ${code}: ${Buffer.concat(errors).toString()}`);
  return JSON.parse(Buffer.concat(output).toString()) as PythonResponse[];
}
