import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { balancerWith } from '../../../test/support/balance-fixtures.ts';
import { mockTriton, tokenFrame } from '../../../test/support/mock-triton.ts';
import { scriptedModel } from '../../../test/support/scripted-model.ts';
import { tinyApp, tinyEndpoint } from '../../../test/support/tiny-app.ts';
import { chat } from '../../generate/chat.ts';
import { sendEvents } from '../../http/events.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { ChatRequest } from '../../requests/chat-request.ts';
import { ChunkWriter } from './chunks.ts';
import { chatShape } from './shapes.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A chat endpoint in front of a gRPC server: all between the two sockets is real. */
async function gateway(serve: (stream: ServerHttp2Stream, prompt: string) => void) {
  const prompts: string[] = [];
  const triton = await mockTriton((stream) => serve(stream, prompts.shift() ?? ''));
  const group = balancerWith().groupOf('m', [triton.remote]);
  const { context } = scriptedModel([{ tokens: [] }], { group });
  const responded = async (path: string, reply: Parameters<typeof requestSignal>[0]) => {
    prompts.push(path);
    const signal = requestSignal(reply);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true } as ChatRequest;
    const { generation, options } = await chat(body, context(), signal);
    await sendEvents(reply, generation, { writer: new ChunkWriter(chatShape, options), signal });
    return reply;
  };
  const handler = () => async (request: { url: string }, reply: Parameters<typeof requestSignal>[0]) =>
    responded(request.url, reply);
  const app = tinyApp([tinyEndpoint({ paths: ['/one', '/two'], handler })]);
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(
    () => app.close(),
    () => triton.close(),
  );
  const { port } = app.server.address() as AddressInfo;
  /** Asks without reading. */
  const ask = (path = '/one'): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return socket;
  };
  return { app, ask };
}

/** All that comes on a connection. */
async function readAll(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.resume();
  await once(socket, 'close');
  return received;
}

const contents = (received: string): string[] =>
  [...received.matchAll(/"delta":\{"content":("[^"]*")\}/g)].map(([, json]) => JSON.parse(json ?? '') as string);

/** Sends words, some in each turn of the event loop. */
function sendWords(stream: ServerHttp2Stream, words: number, perTurn: number): void {
  let sent = 0;
  const turn = (): void => {
    const frames: Buffer[] = [];
    for (let at = 0; at < perTurn && sent < words; at++) frames.push(tokenFrame(` w${++sent}`));
    if (sent < words) {
      stream.write(Buffer.concat(frames));
      setImmediate(turn);
    } else stream.end(Buffer.concat([...frames, tokenFrame('', 'stop')]));
  };
  setImmediate(turn);
}

const wordsUpTo = (count: number): string[] => Array.from({ length: count }, (_, at) => ` w${at + 1}`);

describe('a token on its way from the server to the client', () => {
  it('makes no promise', async () => {
    let words = 0;
    const { ask } = await gateway((stream) => sendWords(stream, words, 1));
    let promises = 0;
    const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) });
    const promisesFor = async (count: number): Promise<number> => {
      words = count;
      hook.enable();
      promises = 0;
      const received = await readAll(ask());
      hook.disable();
      expect(contents(received)).toEqual(wordsUpTo(count));
      return promises;
    };
    // The first requests load, compile and connect.
    await promisesFor(3);
    const few = await promisesFor(20);
    const many = await promisesFor(520);
    // A promise for every token would be 500 more; vitest itself makes a few now and then.
    expect(many - few).toBeLessThan(100);
  });

  it('shares its write with the others of its turn', async () => {
    const { app, ask } = await gateway((stream) => sendWords(stream, 400, 2));
    let writes = 0;
    app.server.on('connection', (socket: Socket) => {
      const write = vi.spyOn(socket, 'write');
      socket.once('close', () => {
        writes = write.mock.calls.length;
      });
    });
    expect(contents(await readAll(ask()))).toEqual(wordsUpTo(400));
    await vi.waitFor(() => expect(writes).toBeGreaterThan(0), 30_000);
    // One write per turn, of which there are at most 200, and those of the headers and of the end.
    expect(writes).toBeLessThanOrEqual(204);
  });
});

it('streams beside each other have their own tokens each, in order', async () => {
  let streams = 0;
  const { ask } = await gateway((stream) => sendWords(stream, 40 + (streams++ % 3), 1 + (streams % 2)));
  const received = await Promise.all(Array.from({ length: 64 }, () => readAll(ask())));
  const counts = received.map((text) => contents(text).length);
  expect(received.map(contents)).toEqual(counts.map(wordsUpTo));
  expect(new Set(counts)).toEqual(new Set([40, 41, 42]));
  expect(received.every((text) => text.includes('data: [DONE]'))).toBe(true);
});

describe('a client that does not read', () => {
  it('has only its own inference wait, and loses nothing', { timeout: 120_000 }, async () => {
    const word = 'x'.repeat(16_000);
    const count = 2_000;
    let sent = 0;
    const flood = (stream: ServerHttp2Stream): void => {
      while (sent < count)
        if (!stream.write(tokenFrame(`${sent++} ${word}`))) {
          stream.once('drain', () => flood(stream));
          return;
        }
      stream.end(tokenFrame('', 'stop'));
    };
    const { ask } = await gateway((stream, path) => (path === '/one' ? flood(stream) : sendWords(stream, 50, 1)));
    const stalled = ask('/one').pause();
    await vi.waitFor(() => expect(sent).toBeGreaterThan(0), 30_000);
    for (let before = -1; before !== sent; ) {
      before = sent;
      expect(contents(await readAll(ask('/two')))).toEqual(wordsUpTo(50));
    }
    // 32 MB do not fit into the buffers on the way: more than half of it is still with the server.
    expect(sent).toBeLessThan(count / 2);
    const texts = contents(await readAll(stalled));
    expect(texts.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: count }, (_, at) => at));
    expect(texts.every((text) => text.endsWith(word))).toBe(true);
  });
});
