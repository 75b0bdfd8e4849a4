import fastify from 'fastify';
import { expect, it } from 'vitest';
import type { KeyHolder } from '../../keys/key-holder.ts';
import { type ServerView, serverRoutes } from './servers.ts';

const view = {
  id: 'gpu-1:8001',
  last_fault: { code: 'INTERNAL', message: 'no', model: 'secret', at: 1 },
  models: [
    { name: 'llama', state: 'READY', breaker: 'closed' },
    { name: 'secret', state: 'READY', breaker: 'closed' },
  ],
} as unknown as ServerView;

async function seenBy(models: readonly string[] | undefined) {
  const app = fastify();
  app.addHook('onRequest', async (request) => {
    request.key = { name: 'a', models } as KeyHolder;
  });
  serverRoutes(app, { servers: async () => [[view]] });
  return (await app.inject('/v1/servers')).json().data as ServerView[];
}

it('shows the models that a key is for, and their faults alone', async () => {
  expect(await seenBy(undefined)).toEqual([view]);
  expect(await seenBy(['ll*'])).toEqual([{ ...view, last_fault: null, models: [view.models[0]] }]);
});
