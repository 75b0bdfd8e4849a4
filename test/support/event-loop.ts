import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Conch, startConch } from './conch.ts';
import { inRoot } from './environment.ts';

export interface MonitoredConch {
  readonly conch: Conch;
  /** What was done, and the longest time in milliseconds that the event loop was held meanwhile. */
  readonly during: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; delay: number; p99: number }>;
  /** The least of three measurements of the same work: what a busy machine adds to one of them is not the work's. */
  readonly leastDuring: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; delay: number }>;
  readonly stop: () => Promise<void>;
}

/** A Conch that tells how long its event loop was held. */
export async function startMonitored(flags: readonly string[]): Promise<MonitoredConch> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-loop-'));
  const file = join(folder, 'delay');
  const monitor = pathToFileURL(inRoot('test/support/event-loop-monitor.mjs')).href;
  const environment = { NODE_OPTIONS: `--import=${monitor}`, CONCH_TEST_LOOP_FILE: file };
  const conch = await startConch({ flags, environment });
  const delays = async (): Promise<{ max: number; p99: number }> => {
    rmSync(file, { force: true });
    process.kill(conch.pid, 'SIGUSR2');
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 2));
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const during: MonitoredConch['during'] = async (work) => {
    await delays();
    const result = await work();
    const { max, p99 } = await delays();
    return { result, delay: max, p99 };
  };
  return {
    conch,
    during,
    leastDuring: async (work) => {
      const measured = [await during(work), await during(work), await during(work)];
      return measured.reduce((least, next) => (next.delay < least.delay ? next : least));
    },
    stop: async () => {
      await conch.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
