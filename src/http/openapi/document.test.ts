import { expect, it } from 'vitest';
import { z } from 'zod';
import { tinyApi, tinyEndpoint } from '../../../test/support/tiny-app.ts';
import type { NamedSchema } from '../api.ts';
import { openApiDocument } from './document.ts';
import { constant, object } from './schema-parts.ts';

const errorSchema: NamedSchema = { name: 'OwnError', schema: object({ error: constant('x') }) };

const endpoint = tinyEndpoint({
  methods: ['POST'],
  paths: ['/echo/:id'],
  operations: [
    {
      tag: 'tiny',
      summary: 'Repeats a text.',
      request: { name: 'EchoRequest', schema: z.object({ text: z.string() }) },
      query: z.object({ loud: z.string() }),
      response: { name: 'Echo', schema: object({ text: constant('x') }) },
      streams: 'lines',
      example: { text: 'x' },
    },
  ],
});

it('describes an endpoint by what it says of itself', () => {
  const { paths, components } = openApiDocument({ version: '1', apis: [tinyApi([endpoint], { errorSchema })] });
  const { responses, ...operation } = (paths['/echo/{id}'] ?? {})['post'] as { responses: Record<string, object> };
  expect(operation).toEqual({
    operationId: 'postEchoId',
    tags: ['tiny'],
    summary: 'Repeats a text.',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
      { name: 'loud', in: 'query', schema: { type: 'string' } },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/EchoRequest' }, example: { text: 'x' } } },
    },
  });
  expect(Object.keys(responses).map(Number)).toEqual([
    200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 431, 500, 502, 503, 504,
  ]);
  expect(responses['200']).toMatchObject({
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Echo' } },
      'application/x-ndjson': { schema: {} },
    },
  });
  expect(responses['404']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/OwnError' } } },
  });
  expect(Object.keys(components.schemas)).toEqual(['EchoRequest', 'Echo', 'OwnError']);
});

it('leaves out what is not documented', () => {
  expect(openApiDocument({ version: '1', apis: [tinyApi([tinyEndpoint({})])] }).paths).toEqual({});
});
