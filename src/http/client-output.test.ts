import { EventEmitter } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ClientOutput } from './client-output.ts';

/** What a client reads of a response. */
async function received(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    request({ port, host: '127.0.0.1' }, resolve).once('error', reject).end();
  });
  const read = await textOf(response);
  await new Promise((resolve) => server.close(resolve));
  return read;
}

it('writes what a turn appends at its end, and the last text with the end', async () => {
  const flushes: number[] = [];
  const read = await received((response) => {
    const output = new ClientOutput(response, { source: () => undefined, onFlush: (now) => flushes.push(now) });
    output.append('one ');
    output.append('two ');
    setImmediate(() => {
      output.append('ä ');
      output.end('end');
    });
  });
  expect(read).toBe('one two ä end');
  expect(flushes).toEqual([expect.any(Number), expect.any(Number)]);
});

it('writes nothing after its end, when the connection may belong to the next response', async () => {
  const read = await received((response) => {
    const output = new ClientOutput(response, { source: () => undefined });
    output.append('whole');
    output.flush();
    output.end('');
    output.append(' and more');
    output.flush();
  });
  expect(read).toBe('whole');
});

it('writes nothing of what was appended before it was closed', async () => {
  const read = await received((response) => {
    const output = new ClientOutput(response, { source: () => undefined });
    output.append('whole');
    output.flush();
    output.append(' and more');
    output.close();
    response.end();
  });
  expect(read).toBe('whole');
});

/** A response whose socket takes nothing more after each write, until it says so. */
function fullResponse() {
  const written: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    cork: () => undefined,
    uncork: () => undefined,
    write: (text: string) => {
      written.push(text);
      return false;
    },
  });
  const response = {
    socket,
    chunkedEncoding: true,
    writableEnded: false,
    flushHeaders: () => undefined,
    end: () => written.push('end'),
  };
  const calls: string[] = [];
  const source = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
  const output = new ClientOutput(response as unknown as ServerResponse, { source: () => source });
  return { written, socket, calls, output };
}

it('pauses its source while the client is slower, and writes what came meanwhile in one chunk', () => {
  const { written, socket, calls, output } = fullResponse();
  for (const text of ['a', 'b', 'c']) {
    output.append(text);
    output.flush();
  }
  expect([written, calls]).toEqual([['1\r\na\r\n'], ['pause']]);
  socket.emit('drain');
  expect([written, calls]).toEqual([
    ['1\r\na\r\n', '2\r\nbc\r\n'],
    ['pause', 'pause'],
  ]);
  socket.emit('drain');
  expect(calls).toEqual(['pause', 'pause', 'resume']);
});

it.each(['end', 'close'] as const)('leaves no listener behind when a slow client is %sed', (ending) => {
  const { written, socket, output } = fullResponse();
  output.append('a');
  output.flush();
  output.append('b');
  if (ending === 'end') output.end('c');
  else output.close();
  expect(socket.listenerCount('drain')).toBe(0);
  expect(written).toEqual(ending === 'end' ? ['1\r\na\r\n', '2\r\nbc\r\n', 'end'] : ['1\r\na\r\n']);
});
