import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { runProgram } from './program.ts';

it('ends a program with all that it has started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  // Both hold the connection, which closes when the last of them is gone.
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 600; true`;
  const outcome = runProgram('bash', ['-c', script], { signal: stop.signal });
  const [socket] = (await once(server, 'connection')) as [Socket];
  const closed = once(socket.resume(), 'close');
  stop.abort();
  expect(await outcome).toEqual({ code: null, stdout: '', stderr: '' });
  await closed;
  server.close();
});
