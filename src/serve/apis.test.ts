import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { silentServices } from '../../test/support/tiny-app.ts';
import { createApp } from '../http/app.ts';
import { operationsOf } from '../http/openapi/document.ts';
import { checkLimits } from '../http/request-limits.ts';
import { type Services, servedApis } from './apis.ts';

/** An app with every API, whose services are never asked. */
function silentApp() {
  return createApp({ ...silentServices(), version: '1.2.3' } as unknown as Services, servedApis());
}

async function readDocument() {
  const response = await silentApp().inject('/openapi.json');
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  return response.json();
}

type Paths = Record<string, Record<string, { tags: string[] }>>;

const endpoints = servedApis().flatMap(({ name, endpoints: all }) =>
  all.map((endpoint) => [`${name}: ${endpoint.methods.join()} ${endpoint.paths[0]}`, endpoint] as const),
);
const operations = servedApis().flatMap(operationsOf);

describe.each(endpoints)('%s', (_, endpoint) => {
  const { group, header, operation, operations: documented, estimate, limits = [], usesTokenizerOnly } = endpoint;

  it('says what it is: a group, a summary, a tag, a response', () => {
    expect(group).toMatch(/^(inference|embedding|model-repository|metrics|health)$/);
    // OpenAPI has one operation per path and method, whatever the headers are.
    expect(documented.length > 0).toBe(header === undefined);
    for (const { summary, tag, response } of documented) {
      expect(summary).toMatch(/^\S.*\.$/);
      expect(tag).toMatch(/^[a-z]+$/);
      expect(response).toSatisfy((value) => typeof value === 'string' || Object.keys(value.schema).length > 0);
    }
  });

  it('has a request schema with an example that is valid and within all limits', () => {
    for (const { request, example } of documented) {
      expect(request === undefined).toBe(example === undefined);
      expect(request?.schema.safeParse(example).error).toBeUndefined();
      checkLimits(example, limits, { messages: 1, tools: 0, stopStrings: 0, choices: 1 });
    }
  });

  it('takes tokens of its key where it runs a model, and has a name for what it does', () => {
    const runs = (group === 'inference' || group === 'embedding') && !endpoint.isUncounted && !usesTokenizerOnly;
    expect({ estimates: estimate !== undefined, isNamed: operation !== undefined }).toEqual({
      estimates: runs,
      isNamed: runs,
    });
    expect(!runs || documented[0]?.request !== undefined).toBe(true);
  });
});

it('has no path twice', () => {
  const all = operations.map(({ method, path }) => `${method} ${path}`);
  expect(all).toEqual([...new Set(all)]);
});

describe('errors', () => {
  const seen = async (method: 'GET' | 'POST', url: string) => {
    const { statusCode, headers, body } = await silentApp().inject({ method, url, headers: { 'x-request-id': 'r' } });
    return { status: statusCode, id: headers['request-id'], body: JSON.parse(body) };
  };
  const openai = (code: string, message: string) => ({
    error: { message, type: 'invalid_request_error', param: null, code },
  });
  const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'r' });

  it.each([
    ['/v1/nothing', { status: 404, id: undefined, body: openai('not_found', 'Invalid URL (GET /v1/nothing).') }],
    [
      '/v1/chat/completions',
      {
        status: 405,
        id: undefined,
        body: openai('method_not_allowed', 'Method GET is not allowed for /v1/chat/completions. Allowed: POST.'),
      },
    ],
    [
      '/v1/messages',
      {
        status: 405,
        id: 'r',
        body: anthropic('invalid_request_error', 'Method GET is not allowed for /v1/messages. Allowed: POST.'),
      },
    ],
    [
      '/v1/messages/nothing?x=1',
      { status: 404, id: 'r', body: anthropic('not_found_error', 'Invalid URL (GET /v1/messages/nothing).') },
    ],
    [
      '/v1/messages/%zz',
      { status: 404, id: 'r', body: anthropic('not_found_error', 'Invalid URL: the path cannot be decoded.') },
    ],
    ['/v1/messagesx', { status: 404, id: undefined, body: openai('not_found', 'Invalid URL (GET /v1/messagesx).') }],
    ['/api', { status: 404, id: undefined, body: { error: 'Invalid URL (GET /api).' } }],
    ['/api/nothing/', { status: 404, id: undefined, body: { error: 'Invalid URL (GET /api/nothing/).' } }],
    ['/api/%zz', { status: 404, id: undefined, body: { error: 'Invalid URL: the path cannot be decoded.' } }],
    ['/apix', { status: 404, id: undefined, body: openai('not_found', 'Invalid URL (GET /apix).') }],
    ['/%zz', { status: 404, id: undefined, body: openai('not_found', 'Invalid URL: the path cannot be decoded.') }],
  ])('of GET %s have the body of its API', async (url, expected) => {
    expect(await seen('GET', url)).toEqual(expected);
  });

  it('of known paths have the body of their API', async () => {
    const message = 'Request body must be JSON, sent with "Content-Type: application/json".';
    const send = async (url: string) => {
      const headers = { 'x-request-id': 'r', 'content-type': 'text/plain' };
      const { statusCode, body } = await silentApp().inject({ method: 'POST', url, headers, payload: 'x' });
      return [statusCode, JSON.parse(body)];
    };
    expect(await send('/v1/chat/completions')).toEqual([415, openai('unsupported_media_type', message)]);
    expect(await send('/v1/messages')).toEqual([415, anthropic('invalid_request_error', message)]);
    expect(await send('/api/chat')).toEqual([415, { error: message }]);
    // Not offered: nothing is read.
    expect(await send('/api/push')).toEqual([
      400,
      { error: 'POST /api/push is not supported. Conch does not publish models.' },
    ]);
  });
});

describe('the OpenAPI document', () => {
  it('is one, by its own rules', { timeout: 60_000 }, async () => {
    const { valid, errors } = await new Validator().validate(await readDocument());
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('has every endpoint with its details, and no other', async () => {
    const { paths, info } = (await readDocument()) as { paths: Paths; info: { version: string } };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => `${method} ${path} ${tags[0]}`),
    );
    expect(documented.toSorted()).toEqual(
      operations.map(({ method, path, operation: { tag } }) => `${method} ${path} ${tag}`).toSorted(),
    );
    expect(info.version).toBe('1.2.3');
  });

  it('describes what schemas check by hand', async () => {
    const { components } = await readDocument();
    const { properties, required } = components.schemas.ChatRequest;
    expect(required).toEqual(['model', 'messages']);
    expect(properties.messages).toMatchObject({ type: 'array', minItems: 1, maxItems: 100_000 });
    expect(properties.messages.items.oneOf ?? properties.messages.items.anyOf).toHaveLength(6);
    expect(properties.audio).toEqual({ enum: [null], description: 'Rejected: audio is not supported.' });
    expect(properties.metadata.anyOf[0]).toEqual({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 512 },
      maxProperties: 16,
    });
    expect(
      components.schemas.EmbeddingRequest.properties.input.anyOf.map(({ type }: { type: string }) => type),
    ).toEqual(['string', 'array', 'array', 'array']);
  });

  it('can be read at /docs: every operation and every schema, and no link leads nowhere', async () => {
    const { body } = await silentApp().inject('/docs');
    const { components } = await readDocument();
    const lines = operations.map(({ method, path }) => `${method.toUpperCase()}</span> <code>${path}</code>`);
    expect(lines.filter((line) => !body.includes(line))).toEqual([]);
    const locations = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    expect(Object.keys(components.schemas).filter((name) => !locations.has(`schema-${name}`))).toEqual([]);
    expect([...body.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !locations.has(id))).toEqual([]);
  });

  it('is told of beside every path in docs/api.md', () => {
    const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    expect(operations.map(({ path }) => path).filter((path) => !page.includes(path))).toEqual([]);
  });
});
