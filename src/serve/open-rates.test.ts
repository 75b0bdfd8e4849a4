import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import { openRates } from './open-rates.ts';

it('does not start with a password that Redis refuses', async () => {
  // It says so to every command, however many come at once.
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        for (const _ of bytes.toString('latin1').matchAll(/\*\d+\r\n/g))
          socket.write('-WRONGPASS invalid password\r\n');
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text), info: () => undefined } as unknown as Logger;
  await expect(openRates(`redis://:pearl@127.0.0.1:${port}`, logger)).rejects.toMatchObject({
    problems: [`--redis: 127.0.0.1:${port} rejected the user or password (WRONGPASS invalid password).`],
  });
  expect(warnings).toEqual([]);
  server.close();
});
