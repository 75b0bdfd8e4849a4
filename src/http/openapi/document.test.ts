import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { openBook } from '../../keys/key-book.ts';
import { LoneLink } from '../../link.ts';
import { unrecorded } from '../../request-watch.ts';
import { createApp, type Services } from '../app.ts';
import { usualConnections } from '../connections.ts';
import { Draining } from '../draining.ts';
import { operations, requestSchemas } from './operations.ts';

/** An app whose routes are there and whose services are never asked. */
function silentApp() {
  const services = {
    keys: openBook,
    record: unrecorded,
    link: new LoneLink(),
    draining: new Draining(new AbortController().signal),
    clients: { receiveTimeout: 0, slowClientTimeout: 0 },
    restrictedApis: [],
    connections: usualConnections,
    allowedOrigins: [],
    maxInputSize: 1000,
    jsonBounds: { depth: 10, values: 1000 },
    version: '1.2.3',
    responses: { store: undefined },
    logger: fastify().log,
  };
  return createApp(services as unknown as Services);
}

async function readDocument() {
  const answer = await silentApp().inject('/openapi.json');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return answer.json();
}

type Paths = Record<string, Record<string, { tags: string[] }>>;

describe('the OpenAPI document', () => {
  it('is one, by its own rules', { timeout: 60_000 }, async () => {
    const { valid, errors } = await new Validator().validate(await readDocument());
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('has every route of the app with its details, and no other', async () => {
    const { paths, info } = (await readDocument()) as { paths: Paths; info: { version: string } };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => `${method} ${path} ${tags[0]}`),
    );
    expect(documented.toSorted()).toEqual(
      operations.map(({ method, path, tag }) => `${method} ${path} ${tag}`).toSorted(),
    );
    expect(info.version).toBe('1.2.3');
  });

  it('shows examples that are valid requests', () => {
    const faults = operations.map(({ body, example }) => requestSchemas[body ?? '']?.safeParse(example).error);
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('describes what schemas check by hand', async () => {
    const { components } = await readDocument();
    const { properties, required } = components.schemas.ChatRequest;
    expect(required).toEqual(['model', 'messages']);
    expect(properties.messages).toMatchObject({ type: 'array', minItems: 1, maxItems: 100_000 });
    expect(properties.messages.items.oneOf ?? properties.messages.items.anyOf).toHaveLength(6);
    expect(properties.audio).toEqual({ enum: [null], description: 'Not offered: audio is not offered.' });
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
    const places = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    expect(Object.keys(components.schemas).filter((name) => !places.has(`schema-${name}`))).toEqual([]);
    expect([...body.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !places.has(id))).toEqual([]);
  });

  it('is told of beside every path in docs/api.md', () => {
    const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    expect(operations.map(({ path }) => path).filter((path) => !page.includes(path))).toEqual([]);
  });
});
