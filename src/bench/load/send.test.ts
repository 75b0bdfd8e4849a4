import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient, httpRequest } from './http-client.ts';
import type { Endpoint, Outcome } from './messages.ts';
import { endpointPaths, type Sender, send } from './send.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

interface Settings {
  readonly endpoint?: Endpoint;
  readonly isStreaming?: boolean;
  readonly timeout?: number;
  readonly stop?: AbortSignal;
  readonly keepsTexts?: boolean;
  readonly onText?: (at: number) => void;
}

/** One request to a server that answers as it is told. */
async function ask(handler: Handler, settings: Settings = {}): Promise<Outcome & { texts: readonly string[] }> {
  const server = http.createServer((request, response) => request.resume().on('end', () => handler(request, response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, settings);
}

async function to(origin: string, settings: Settings): Promise<Outcome> {
  const { endpoint = 'chat', isStreaming = true, timeout = 20_000, onText = () => undefined } = settings;
  const { stop = new AbortController().signal, keepsTexts = true } = settings;
  const client = new HttpClient({ origin });
  closing.push(() => client.close());
  const request = httpRequest({ origin, headers: {} }, endpointPaths[endpoint], '{}');
  return send({ client, endpoint, isStreaming, timeout, stop, keepsTexts, onText }, 7, request);
}

const delta = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

function stream(...pieces: readonly (string | Buffer)[]): Handler {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // Each piece has a turn of its own, so that it is read by itself.
    const next = (at: number): void => {
      const piece = pieces[at];
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next, at + 1));
    };
    next(0);
  };
}

describe('a stream', () => {
  it('is read to its end: the first text is the first token, the last text the last', async () => {
    const outcome = await ask(
      stream(
        delta(''),
        delta('a'),
        delta('b') + delta('c'),
        delta('', 'stop'),
        'data: {"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":3}}\n\ndata: [DONE]\n\n',
      ),
    );
    const { startedAt, firstAt = 0, lastAt = 0, ...rest } = outcome;
    expect(rest).toEqual({
      index: 7,
      events: 3,
      wasResent: false,
      texts: ['abc'],
      promptTokens: 4,
      completionTokens: 3,
      error: undefined,
    });
    expect(startedAt).toBeLessThan(firstAt);
    expect(firstAt).toBeLessThanOrEqual(lastAt);
  });

  it('drops its texts without a counter', async () => {
    const outcome = await ask(stream(delta('a', 'stop')), { keepsTexts: false });
    expect(outcome).toMatchObject({ error: undefined, events: 1, texts: [] });
  });

  it('has its times where text came, not where the role did or the end', async () => {
    const times: number[] = [];
    let goOn: () => void = () => undefined;
    const { firstAt, lastAt } = await ask(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(delta(''), () => response.write(delta('a')));
        goOn = () => {
          goOn = () => void response.end('data: [DONE]\n\n');
          response.write(delta('b'));
        };
      },
      {
        onText: (at) => {
          times.push(at);
          goOn();
        },
      },
    );
    expect(times).toEqual([firstAt, lastAt]);
    expect(firstAt).toBeLessThan(lastAt ?? 0);
  });

  it('gives a character back that was cut in two', async () => {
    const bytes = Buffer.from(delta('😀') + 'data: [DONE]\n\n');
    const at = bytes.indexOf(0xf0) + 2;
    expect((await ask(stream(bytes.subarray(0, at), bytes.subarray(at)))).texts).toEqual(['😀']);
  });

  it.each([
    ['a finish reason and no [DONE]', [delta('a'), delta('', 'length')]],
    ['[DONE] and one end of line', [delta('a'), 'data: [DONE]\n']],
    ['[DONE] and no end of line', [delta('a'), 'data: [DONE]']],
    ['a finish reason and half an event', [delta('a', 'stop'), 'data: {"half']],
    ['a last event and one end of line', [delta('a', 'stop').slice(0, -1)]],
  ])('is whole with %s', async (_, pieces) => {
    expect(await ask(stream(...pieces))).toMatchObject({ error: undefined, events: 1, texts: ['a'] });
  });

  it.each<[string, Handler]>([
    ['the stream ended before the response was complete', stream(delta('a'))],
    ['the stream ended before the response was complete', stream(delta('a'), 'data: {"half')],
    ['error in the response: out of memory', stream(delta('a'), 'data: {"error":{"message":"out of memory"}}\n\n')],
    ['event is not valid JSON', stream('data: oops\n\n')],
    ['response without content', stream(delta('', 'stop'), 'data: [DONE]\n\n')],
    [
      'not an event stream but application/json',
      (_, response) => void response.setHeader('content-type', 'application/json').end('{}'),
    ],
    ['HTTP 401: wrong key', (_, response) => void response.writeHead(401).end('{"error":{"message":"wrong key"}}')],
    ['HTTP 503: Busy', (_, response) => void response.writeHead(503).end('Busy')],
    ['connection failed: ECONNRESET', (_, response) => void response.destroy()],
  ])('fails: %s', async (error, handler) => {
    expect((await ask(handler)).error).toBe(error);
  });

  it('fails where the connection breaks in the middle', async () => {
    const outcome = await ask((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('a'), () => response.destroy());
    });
    expect(outcome).toMatchObject({ error: 'connection closed in the middle of the response', texts: ['a'] });
  });

  it('fails where nothing listens', async () => {
    expect((await to('http://127.0.0.1:1', {})).error).toBe('connection failed: ECONNREFUSED');
  });

  it('fails after its time', async () => {
    expect((await ask(() => undefined, { timeout: 20 })).error).toBe('no complete response within 0.02 s');
  });

  it('is stopped', async () => {
    const stop = new AbortController();
    expect((await ask(() => stop.abort(), { stop: stop.signal })).error).toBe('stopped before the end');
    expect((await ask(() => undefined, { stop: AbortSignal.abort() })).error).toBe('stopped before the end');
  });
});

describe('a reused connection', () => {
  /** A first request that is answered, then one on the same connection whose handler is given. */
  async function second(handler: Handler, settings: Settings = {}) {
    let count = 0;
    const server = http.createServer((request, response) =>
      request.resume().on('end', () => (++count === 2 ? handler : stream(delta('a', 'stop')))(request, response)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const handles = new HttpClient({ origin });
    const request = httpRequest({ origin, headers: {} }, '/v1/chat/completions', '{}');
    let requested = 0;
    const client: Sender['client'] = {
      giveBack: (connection) => handles.giveBack(connection),
      request: (...options) => {
        requested++;
        return handles.request(...options);
      },
    };
    closing.push(
      () => handles.close(),
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { timeout = 20_000, stop = new AbortController().signal } = settings;
    const common = {
      client,
      endpoint: 'chat',
      isStreaming: true,
      keepsTexts: true,
      onText: () => undefined,
    } as const;
    await send({ ...common, timeout: 20_000, stop: new AbortController().signal }, 0, request);
    // The agent takes the connection back in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    const { error, wasResent } = await send({ ...common, timeout, stop }, 1, request);
    await new Promise((resolve) => setImmediate(resolve));
    const third = await send({ ...common, timeout: 20_000, stop: new AbortController().signal }, 2, request);
    return { error, wasResent, third: third.error, requested };
  }

  it('is opened again if it was closed just then, and reports that', async () => {
    const outcome = await second(({ socket }) => void socket.resetAndDestroy());
    expect(outcome).toEqual({ error: undefined, wasResent: true, third: undefined, requested: 4 });
  });

  it('is not retried after a part of a response', async () => {
    const outcome = await second(({ socket }) => void socket.write('HTTP/1.1 2', () => socket.destroy()));
    expect(outcome).toEqual({
      error: 'connection failed: ECONNRESET',
      wasResent: false,
      third: undefined,
      requested: 3,
    });
  });

  it('is not tried again for a request that is out of time or stopped', async () => {
    const late = await second(() => undefined, { timeout: 20 });
    expect(late).toEqual({
      error: 'no complete response within 0.02 s',
      wasResent: false,
      third: undefined,
      requested: 3,
    });
    const stop = new AbortController();
    const stopped = await second(() => stop.abort(), { stop: stop.signal });
    expect(stopped).toEqual({ error: 'stopped before the end', wasResent: false, third: undefined, requested: 3 });
  });
});

describe('a response that is not streamed', () => {
  it('has any status of success', async () => {
    const choices = [{ message: { content: 'x'.repeat(100_000) }, finish_reason: 'stop' }];
    const outcome = await ask((_, response) => void response.writeHead(201).end(JSON.stringify({ choices })), {
      isStreaming: false,
    });
    expect(outcome.error).toBeUndefined();
  });

  it('has one moment', async () => {
    const choices = [{ message: { content: 'all of it' }, finish_reason: 'stop' }];
    const { firstAt, lastAt, startedAt, ...rest } = await ask(
      (_, response) =>
        void response.end(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 3 } })),
      { isStreaming: false },
    );
    expect(rest).toEqual({
      index: 7,
      events: 1,
      wasResent: false,
      texts: ['all of it'],
      promptTokens: 1,
      completionTokens: 3,
      error: undefined,
    });
    expect([firstAt, (lastAt ?? 0) > startedAt]).toEqual([undefined, true]);
  });

  it('may be embeddings', async () => {
    const paths: (string | undefined)[] = [];
    const outcome = await ask(
      ({ url }, response) => {
        paths.push(url);
        response.end('{"data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":2}}');
      },
      { endpoint: 'embeddings', isStreaming: false },
    );
    expect([paths, outcome.error, outcome.promptTokens]).toEqual([['/v1/embeddings'], undefined, 2]);
  });
});
