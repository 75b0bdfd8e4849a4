import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { closeConnections } from './close-connections.ts';

it('lets an app close although a client has a connection that it never used', async () => {
  const app = fastify();
  closeConnections(app);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(app.server, 'connection');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await accepted;
  const ended = once(socket, 'close');
  await app.close();
  expect(await ended).toEqual([false]);
});

it('lets a request that runs finish', async () => {
  const app = fastify();
  closeConnections(app);
  let finish = (): void => undefined;
  const isRunning = new Promise<void>((running) => {
    app.get('/', () => {
      running();
      return new Promise((resolve) => {
        finish = () => resolve('done');
      });
    });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const response = fetch(url, { headers: { connection: 'close' } });
  await isRunning;
  const closed = app.close();
  finish();
  expect(await (await response).text()).toBe('done');
  await closed;
});
