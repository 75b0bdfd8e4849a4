import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Conch, startConch } from './conch.ts';

/** Starts programs for all test files: one for each distinct list of flags. */
export interface ConchHost {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A program that other files use too: its log and its process are not for tests. */
export type SharedConch = Pick<Conch, 'url'>;

const lastLines = 12;
const pollMilliseconds = 20;

/** Lends programs until it is stopped. One that has ended is replaced when it is asked for, and reported. */
export async function hostConch(report: (text: string) => void): Promise<ConchHost> {
  const started = new Map<string, Promise<Conch>>();
  const lend = async (key: string): Promise<Conch> => {
    const starting = started.get(key) ?? start(started, key);
    const conch = await starting;
    const ended = await readyOrEnded(conch);
    if (ended === undefined) return conch;
    if (started.get(key) === starting) {
      started.delete(key);
      report(obituary(key, ended, conch));
    }
    return lend(key);
  };
  const server = createServer((request, response) => {
    void respond(request, lend).then(({ status, body }) => response.writeHead(status).end(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    const all = await Promise.allSettled(started.values());
    await Promise.all(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.stop()] : [])));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** The program with these flags, started where no file has asked for it yet. */
export async function borrowConch(hostUrl: string, flags: readonly string[]): Promise<SharedConch> {
  const response = await fetch(hostUrl, { method: 'POST', body: JSON.stringify(flags) });
  const body = await response.text();
  if (!response.ok) throw new Error(body);
  return { url: body };
}

function start(started: Map<string, Promise<Conch>>, key: string): Promise<Conch> {
  const starting = startConch({ flags: JSON.parse(key) as string[], readyMilliseconds: 120_000 });
  started.set(key, starting);
  // One that could not start is tried again by the next file.
  starting.catch(() => started.delete(key));
  return starting;
}

/** Waits until a program takes requests, which it does not while its servers are gone; gives how it ended where it has. */
async function readyOrEnded({ url, ended }: Conch): Promise<NodeJS.Signals | number | undefined> {
  for (;;) {
    const status = await statusOf(`${url}/health/ready`);
    const end = ended();
    if (end !== undefined || status === 200) return end;
    await pause(pollMilliseconds);
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => undefined,
  );
}

async function respond(
  request: IncomingMessage,
  lend: (key: string) => Promise<Conch>,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    return { status: 200, body: (await lend(await text(request))).url };
  } catch (error) {
    return { status: 500, body: String(error) };
  }
}

function obituary(flags: string, ended: NodeJS.Signals | number, { log }: Conch): string {
  const lines = log()
    .slice(-lastLines)
    .map((line) => `  ${JSON.stringify(line)}`);
  return [`A shared conch ended by ${ended}; its flags are ${flags}. Its last lines:`, ...lines].join('\n');
}
