import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tinyApp, tinyEndpoint } from '../../test/support/tiny-app.ts';
import type { Generation } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { sendEvents } from './events.ts';
import type { ResponseWriter } from './response-writer.ts';

/** Writes the text of each delta as it is, between a mark for the beginning and one for the end. */
const plainWriter: ResponseWriter = {
  begin: (events) => `<${events.map((event) => plainWriter.write(event)).join('')}`,
  delta: (_, text) => text,
  write: (event) => (event.type === 'text-delta' ? event.text : ''),
  end: () => '>',
  fail: ({ message }) => `!${message}`,
};

/** A generation that gives these texts, one in each turn of the event loop, and then ends, or fails. */
function generationOf(texts: readonly string[], error?: ApiError): Generation {
  return {
    start: (sink) => {
      const left = [...texts];
      const next = (): void => {
        const text = left.shift();
        if (text === undefined) {
          if (error) sink.fail(error);
          else sink.end();
          return;
        }
        sink.text(0, text, 1, undefined);
        setImmediate(() => setImmediate(next));
      };
      setImmediate(next);
      return { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
    },
  };
}

/** A generation that tells how long the prompt is, and fails in a later turn. */
function countedThenRefused(): Generation {
  return {
    start: (sink) => {
      const fail = (): void => sink.fail(new ApiError('rate_limit_exceeded', 'full'));
      setImmediate(() => {
        sink.event({ type: 'prompt-tokens', count: 3 });
        setImmediate(() => setImmediate(fail));
      });
      return { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
    },
  };
}

/** What the answers are made of, by the path that they are asked for at. */
const responses: Readonly<Record<string, () => Generation>> = {
  '/two': () => generationOf(['sea', ' wäter']),
  '/none': () => generationOf([]),
  '/broken': () => generationOf(['half'], new ApiError('backend_error', 'gone')),
  '/counted': countedThenRefused,
  '/refused': () => generationOf([], new ApiError('rate_limit_exceeded', 'full')),
};

let app: FastifyInstance;

beforeEach(async () => {
  const paths: [string, ResponseWriter, () => Generation][] = [
    ...Object.entries(responses).map(([path, events]) => [path, plainWriter, events] as (typeof paths)[number]),
    ['/lines', { ...plainWriter, contentType: 'application/x-ndjson' }, () => generationOf(['sea', ' wäter'])],
  ];
  const { signal } = new AbortController();
  app = tinyApp(
    paths.map(([path, response, events]) =>
      tinyEndpoint({
        paths: [path],
        handler: () => async (_request, reply) => {
          await sendEvents(reply, events(), { writer: response, signal });
          return reply;
        },
      }),
    ),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

/** All that a server sends back until it ends the connection. */
async function exchange(request: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  socket.write(request);
  await once(socket, 'close');
  return received;
}

/** The heads of the answers without what differs from run to run, and their bodies as they stood on the wire. */
function responsesIn(received: string) {
  return received
    .split(/(?=HTTP\/1\.1 200 OK\r\n)/)
    .map((response) => response.split('\r\n\r\n'))
    .map(([head = '', ...body]) => ({ head: head.split('\r\n')[0], body: body.join('\r\n\r\n') }));
}

const whole = '4\r\n<sea\r\n7\r\n wäter\r\n1\r\n>\r\n0\r\n\r\n';

describe('a stream of events', () => {
  it('is sent in chunks, each as it comes', async () => {
    const received = await exchange('GET /two HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(responsesIn(received)).toEqual([{ head: 'HTTP/1.1 200 OK', body: whole }]);
    expect(received).toContain('content-type: text/event-stream; charset=utf-8\r\n');
  });

  it('is of the type that its writer says', async () => {
    const received = await exchange('GET /lines HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(responsesIn(received)).toEqual([{ head: 'HTTP/1.1 200 OK', body: whole }]);
    expect(received).toContain('content-type: application/x-ndjson\r\n');
    expect(received).not.toContain('event-stream');
  });

  it('is sent without chunks to a client that knows none', async () => {
    const received = await exchange('GET /two HTTP/1.0\r\nhost: x\r\n\r\n');
    expect(responsesIn(received)).toEqual([{ head: 'HTTP/1.1 200 OK', body: '<sea wäter>' }]);
    expect(received).not.toContain('transfer-encoding');
  });

  it('waits for earlier responses on the same connection', async () => {
    const ask = (path: string, last = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${last}\r\n`;
    const received = await exchange(ask('/two') + ask('/none') + ask('/two', 'connection: close\r\n'));
    expect(responsesIn(received).map(({ body }) => body)).toEqual([whole, '2\r\n<>\r\n0\r\n\r\n', whole]);
  });

  it('that holds nothing has a beginning and an end all the same', async () => {
    const received = await exchange('GET /none HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(responsesIn(received)).toEqual([{ head: 'HTTP/1.1 200 OK', body: '2\r\n<>\r\n0\r\n\r\n' }]);
  });

  it.each(['/refused', '/counted'])(
    'that fails before there is anything to see keeps its own status: %s',
    async (path) => {
      const received = await exchange(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(received).toMatch(/^HTTP\/1\.1 429 /);
    },
  );

  it('that breaks ends with what it failed with', async () => {
    const received = await exchange('GET /broken HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(responsesIn(received)).toEqual([{ head: 'HTTP/1.1 200 OK', body: '5\r\n<half\r\n5\r\n!gone\r\n0\r\n\r\n' }]);
  });
});
