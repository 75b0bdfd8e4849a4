import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { queryObjects } from 'node:v8';
import { vi } from 'vitest';
import { textTensor } from '../../src/kserve/tensors.ts';
import { RemoteInference } from '../../src/servers/remote/remote-inference.ts';
import type { RemoteServer } from '../../src/servers/remote/remote-server.ts';
import { type Sample, trendOf } from '../reliability/memory.ts';
import { inRoot } from '../support/environment.ts';
import { pulled } from '../support/pulled-responses.ts';
import { errorOf, remoteServer } from './remote.ts';

/** How a stream comes to its end: as the server was told, or because its reader leaves. */
type End = 'ok' | 'error' | 'status' | 'reset' | 'late' | 'aborted' | 'left';

/** What the server says of itself, as it is at the moment. */
interface ServerState {
  readonly calls: number;
  readonly open: number;
  readonly connections: number;
  /** Bytes that it may send on its newest connection. */
  readonly window: number;
}

const lanes = 200;

/** Very many streams over one client, each with its whole answer or its one fault, while its connections come and go. */
export async function manyStreams(options: { readonly streams: number; readonly disturbances: number }) {
  const child = fork(inRoot('test/grpc/streams-child.mjs'));
  const connect = vi.spyOn(net, 'connect');
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  const server = remoteServer(port);
  try {
    return await run(options, { child, server, sockets: () => connect.mock.results.map(({ value }) => value) });
  } finally {
    await server.close();
    child.kill();
    connect.mockRestore();
  }
}

interface Parts {
  readonly child: ChildProcess;
  readonly server: RemoteServer;
  readonly sockets: () => net.Socket[];
}

async function run({ streams, disturbances }: { streams: number; disturbances: number }, parts: Parts) {
  const { child, server, sockets } = parts;
  const counted = {
    ok: 0,
    error: 0,
    status: 0,
    reset: 0,
    late: 0,
    aborted: 0,
    left: 0,
    broken: 0,
    refused: 0,
    bytes: 0,
  };
  const memory: Sample[] = [];
  const wrong: unknown[] = [];
  const every = Math.ceil(streams / (disturbances + 1));
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < streams && wrong.length === 0) {
      const number = ++started;
      if (number % every === 0 && number < streams) disturb(Math.floor(number / every));
      if (number % Math.ceil(streams / 100) === 0)
        memory.push({ at: number / streams, megabytes: process.memoryUsage().rss / 2 ** 20 });
      const received = await oneStream(server, number);
      if (received.failure) wrong.push(received);
      counted[received.end]++;
      counted.bytes += received.bytes;
    }
  };
  /** A reset from this side, or a goodbye of the server's. */
  const disturb = (turn: number): void => {
    if (turn % 2 === 1) sockets().at(-1)?.resetAndDestroy();
    else child.send('goaway');
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - begin) / 1000;
  const state = await quietState(child);
  return {
    seconds,
    counted,
    wrong,
    connects: sockets().length,
    state,
    /** Streams that something still holds after all have ended. */
    stored: queryObjects(RemoteInference, { format: 'count' }),
    /** In MB over the whole run; the first fifth is the start: code is compiled, buffers find their size. */
    memory: trendOf(memory.filter(({ at }) => at > 0.2)),
  };
}

/** What one stream brought: `failure` tells what was not as it should be. */
async function oneStream(server: RemoteServer, number: number) {
  const random = generator(number);
  const end = endOf(random());
  const text = prompt(random, end);
  const leaving = new AbortController();
  const stream = pulled(
    server,
    { model: 'vllm-toy', id: String(number), inputs: [textTensor('text_input', [text.whole])] },
    { signal: leaving.signal, ...(end === 'late' && { timeout: 20 }) },
  );
  const leaveAt = Math.floor(random() * text.sizes.length);
  let count = 0;
  let bytes = 0;
  let failure: unknown;
  const reading = (async () => {
    for await (const batch of stream) {
      for (const response of batch) {
        const received = response.text('text_output');
        const size = text.sizes[count++] ?? -1;
        if (received !== text.whole.slice(0, size)) failure = { number, end, count, size, heard: received?.length };
        bytes += size;
      }
      if (end === 'left' && count > leaveAt) break;
      if (end === 'aborted' && count > leaveAt) leaving.abort();
      // Some readers are slow, so that windows close.
      if (random() < 0.02) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw finished;
  })();
  const outcome = await reading.catch((error: unknown) => error);
  const received = outcome === finished ? 'finished' : (await errorOf(Promise.reject(outcome))).message;
  if (received === 'The connection to the server was lost.') return { end: 'broken' as const, bytes, failure };
  if (received === 'The server refused the call.' && count === 0) return { end: 'refused' as const, bytes, failure };
  const isWhole = count === text.sizes.length;
  if (!failure && (!expected[end].includes(received) || (whole.has(end) && !isWhole)))
    failure = { number, end, count, received };
  if (!failure && !(await stream.next()).done) failure = { number, end, heard: 'more after the end' };
  return { end, bytes, failure };
}

const finished = new Error('finished');
/** Those that must have brought every response first. */
const whole: ReadonlySet<End> = new Set(['ok', 'error', 'status']);
const expected: Readonly<Record<End, readonly string[]>> = {
  ok: ['finished'],
  error: ['out of paper'],
  status: ['no "room"'],
  reset: ['The server reset the call (HTTP/2 error code 2).'],
  late: ['No response within 20 ms.'],
  aborted: ['The call was cancelled.', 'finished'],
  left: ['finished'],
};

/** A server on node:http2 ends the connection of a client that has cut 1,000 calls short: there are fewer on each. */
function endOf(random: number): End {
  const shares: readonly (readonly [End, number])[] = [
    ['late', 0.002],
    ['reset', 0.02],
    ['status', 0.05],
    ['error', 0.06],
    ['aborted', 0.075],
    ['left', 0.09],
  ];
  return shares.find(([, share]) => random < share)?.[0] ?? 'ok';
}

/** A text to ask with, and the sizes of the responses that it asks for. */
function prompt(random: () => number, end: End) {
  const isLarge = random() < 0.02;
  const most = isLarge ? 60_000 : 1_500;
  const sizes = Array.from({ length: 1 + Math.floor(random() * (isLarge ? 40 : 12)) }, () =>
    Math.floor(random() * most),
  );
  const reported = end === 'late' ? 'never' : end === 'aborted' || end === 'left' ? 'ok' : end;
  const head = `${JSON.stringify({ sizes, end: reported })}\n`;
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  return { sizes, whole: head.padEnd(Math.max(head.length, ...sizes), letter) };
}

/** The server's state once it has no call left. */
async function quietState(child: ChildProcess): Promise<ServerState> {
  for (;;) {
    child.send('state');
    const [state] = (await once(child, 'message')) as [ServerState];
    if (state.open === 0) return state;
  }
}

/** Random numbers from 0 to 1, the same ones in every run. */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
