import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { addServedNames } from './served-names.ts';

type Services = Parameters<typeof addServedNames>[0];

const unknown = new ApiError('model_not_found', 'The model "x" does not exist.', {
  param: 'model',
  reason: 'unknown_model',
});

const asking = (group: string) => ({ headers: {}, endpoint: { group } });

/** The failure as a request gets it where these are served. */
function notify(served: readonly string[], value: { readonly [K in 'request' | 'services']?: object } = {}): ApiError {
  const models = { list: () => served.map((name) => ({ name })) };
  const services = { models, restrictedApis: [], ...value.services } as unknown as Services;
  const request = { ...asking('inference'), ...value.request } as unknown as FastifyRequest;
  return addServedNames(services)(unknown, request) as ApiError;
}

it('names what is served, and what would be loaded', () => {
  expect(notify(['a', 'b']).body()).toEqual({
    error: {
      message: 'The model "x" does not exist. Available models: a, b.',
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    },
  });
  const onDemand = { loadable: () => ['c'] };
  expect(notify(['a'], { services: { onDemand } }).message).toBe(
    'The model "x" does not exist. Available models: a, c.',
  );
});

it('names no more than five', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(notify(many).message).toBe('The model "x" does not exist. Available models: a, b, c, d, e and 2 more.');
  expect(notify(many.slice(0, 5)).message).toBe('The model "x" does not exist. Available models: a, b, c, d, e.');
});

it('names nothing that the key may not use, and nothing to who may not list models', () => {
  expect(notify(['a', 'b'], { request: { key: { models: ['b', 'x'] } } }).message).toBe(
    'The model "x" does not exist. Available models: b.',
  );
  expect(notify(['a'], { request: { key: { models: ['x'] } } })).toBe(unknown);
  const services = { restrictedApis: [{ apis: ['model-repository'], header: 'x-key', value: 'word' }] };
  expect(notify(['a'], { services })).toBe(unknown);
  expect(notify(['a'], { services, request: { headers: { 'x-key': 'word' } } })).not.toBe(unknown);
});

it('leaves every other failure as it is', () => {
  const give = addServedNames({ models: { list: () => [{ name: 'a' }] }, restrictedApis: [] } as unknown as Services);
  const request = asking('embedding') as unknown as FastifyRequest;
  const others = [
    new Error('The model "x" does not exist.'),
    new ApiError('not_found', 'It does not exist.'),
    new ApiError('model_not_found', 'The model "x" does not exist.'),
  ];
  expect(others.map((error) => give(error, request))).toEqual(others);
  expect(notify(['a'], { request: asking('model-repository') })).toBe(unknown);
});
