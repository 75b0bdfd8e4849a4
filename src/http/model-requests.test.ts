import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { unwatched } from '../request-watch.ts';
import { contextFor, contextOnRequest } from './model-requests.ts';

it('leaves a request the time that it has not spent in the queue', () => {
  const request = (queuedFor?: number) => ({ watch: unwatched, queuedFor, ip: '::1' }) as unknown as FastifyRequest;
  const context = { timeout: 1_000, findModel: 'kept' };
  expect(contextFor(request(), context)).toEqual({ ...context, watch: unwatched, client: '::1' });
  expect(contextFor(request(400), context)).toEqual({ ...context, watch: unwatched, timeout: 600, client: '::1' });
  expect(contextFor(request(2_000), context).timeout).toBe(1);
  expect(contextFor(request(400), { timeout: undefined }).timeout).toBeUndefined();
});

it('names the client by its API key, or its address', () => {
  const clientOf = (parts: object) => contextFor({ ip: '::1', ...parts } as FastifyRequest, { timeout: 1 }).client;
  expect([clientOf({}), clientOf({ key: { id: 'key:alice', name: 'alice' } })]).toEqual(['::1', 'key:alice']);
});

it('needs exact counts of a response without usage only to charge a key', () => {
  const needs = (key?: object) => contextOnRequest({ ip: '::1', key } as FastifyRequest, { timeout: 1 }).needsCounts;
  expect([needs(), needs({ requestsPerMinute: 1 }), needs({ tokensPerMinute: 1 })]).toEqual([false, false, true]);
});
