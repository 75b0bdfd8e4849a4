import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../src/bench/report/report.ts';
import { startTokenServer } from '../reliability/token-server.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import type { Outcome } from '../support/program.ts';

/** A run of `conch bench`, and its report where it wrote one. */
export interface BenchRun extends Outcome {
  readonly report: Report | undefined;
}

/** Runs `conch bench` against a server. */
export async function runBench(
  url: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<BenchRun> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-bench-test-'));
  try {
    const file = join(folder, 'report.json');
    const outcome = await runConch(['bench', '--url', url, '--json', file, ...flags], environment);
    return { ...outcome, report: reportIn(file) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function reportIn(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** Conch in front of the scripted token server, whose answers are as long as they may be. */
export interface TokenGateway {
  readonly conch: Conch;
  readonly stop: () => Promise<void>;
}

export async function startTokenGateway(
  intervalMilliseconds: number,
  ...flags: readonly string[]
): Promise<TokenGateway> {
  const server = await startTokenServer(intervalMilliseconds);
  const locations = ['--triton', `127.0.0.1:${server.port}`, '--tokenizer', tokenizerFolder('llama3')];
  const conch = await startConch({ flags: [...locations, ...flags] });
  return {
    conch,
    stop: async () => {
      await conch.stop();
      await server.stop();
    },
  };
}
