import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { noWatch } from '../request-watch.ts';
import { contextFor, isCharged } from './model-requests.ts';

it('leaves a request the time that it has not spent in the queue', () => {
  const request = (queuedFor?: number) => ({ watch: noWatch, queuedFor, ip: '::1' }) as unknown as FastifyRequest;
  const context = { timeout: 1_000, findModel: 'kept' };
  expect(contextFor(request(), context)).toEqual({
    ...context,
    watch: noWatch,
    client: '::1',
    needsCounts: true,
  });
  expect(contextFor(request(400), context, false)).toEqual({
    ...context,
    watch: noWatch,
    timeout: 600,
    client: '::1',
    needsCounts: false,
  });
  expect(contextFor(request(2_000), context).timeout).toBe(1);
  expect(contextFor(request(400), { timeout: undefined }).timeout).toBeUndefined();
});

it('names the client by its API key, or its address', () => {
  const clientOf = (parts: object) => contextFor({ ip: '::1', ...parts } as FastifyRequest, { timeout: 1 }).client;
  expect([clientOf({}), clientOf({ key: { id: 'key:alice', name: 'alice' } })]).toEqual(['::1', 'key:alice']);
});

it('charges a key for tokens only if it has a limit of them', () => {
  const charges = (key?: object) => isCharged({ key } as FastifyRequest);
  expect([charges(), charges({ requestsPerMinute: 1 }), charges({ tokensPerMinute: 1 })]).toEqual([false, false, true]);
});
