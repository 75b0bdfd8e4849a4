import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { replaceModelName } from './read-ollama.ts';

const models = {
  targets: () =>
    new Map([
      ['toy', 'toy'],
      ['tagged:latest', 'toy'],
    ]),
};

it.each([
  [{ model: 'toy', a: 1 }, 'toy', { model: 'toy', a: 1 }],
  [{ model: 'toy:latest' }, 'toy:latest', { model: 'toy' }],
  [{ model: 'tagged:latest' }, 'tagged:latest', { model: 'tagged:latest' }],
  [{ model: 'toy_lora_a:latest' }, 'toy_lora_a:latest', { model: 'toy_lora_a' }],
  [{ model: 'toy:8b' }, 'toy:8b', { model: 'toy:8b' }],
  [{ name: 'toy:latest' }, 'toy:latest', { model: 'toy' }],
  [{ model: 'toy', name: 'x' }, 'toy', { model: 'toy', name: 'x' }],
  [{ model: 5 }, '', { model: 5 }],
  [null, '', null],
])('the model of %j is the one that is served', (body, name, named) => {
  const request = { body } as FastifyRequest;
  expect([replaceModelName(request, models), request.body]).toEqual([name, named]);
});
