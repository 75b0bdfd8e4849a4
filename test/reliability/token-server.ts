import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRoot } from '../support/environment.ts';

/** What the token server has seen when it ends. */
interface TokenCounts {
  readonly requests: number;
  readonly tokens: number;
  readonly cancelled: number;
  /** Calls that were still open. */
  readonly open: number;
}

/** The scripted token server of the benchmark: a model `bench` that is faster than any real one here. */
export async function startTokenServer(intervalMilliseconds: number) {
  const script = inRoot('bench/token-server.mjs');
  const child = spawn(process.execPath, [script, '--interval-ms', String(intervalMilliseconds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = linesOf(child);
  const { port } = (await lines.next()) as { port: number };
  const stop = async (): Promise<TokenCounts> => {
    child.stdin?.end();
    return (await lines.next()) as TokenCounts;
  };
  return { port, stop };
}

/** Each line that a program prints, as JSON. */
export function linesOf(child: ChildProcess): { next(): Promise<unknown> } {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  return {
    next: async () => {
      while (!text.includes('\n')) {
        if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}: ${text}`);
        await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), once(child, 'exit')]);
      }
      const end = text.indexOf('\n');
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      return JSON.parse(line);
    },
  };
}
