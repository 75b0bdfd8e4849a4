import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { type ServerView, serversEndpoint } from './servers.ts';

const view = {
  id: 'gpu-1:8001',
  last_error: { code: 'INTERNAL', message: 'no', model: 'secret', at: 1 },
  models: [
    { name: 'llama', state: 'READY', breaker: 'closed' },
    { name: 'secret', state: 'READY', breaker: 'closed' },
  ],
} as unknown as ServerView;

async function seenBy(models: readonly string[] | undefined) {
  const request = { key: { name: 'a', models } } as FastifyRequest;
  const list = serversEndpoint.handler({ servers: async () => [[view]] }, '/v1/servers');
  const { data } = (await list(request, {} as FastifyReply)) as { data: ServerView[] };
  return data;
}

it('shows only the models of a key and their failures', async () => {
  expect(await seenBy(undefined)).toEqual([view]);
  expect(await seenBy(['ll*'])).toEqual([{ ...view, last_error: null, models: [view.models[0]] }]);
});
