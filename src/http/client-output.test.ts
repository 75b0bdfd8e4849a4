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
