import { answerSchemas } from './answers.ts';
import { inputSchema, type JsonSchema } from './json-schema.ts';
import { type Operation, operations, requestSchemas } from './operations.ts';

/** A route as the router knows it. */
export interface KnownRoute {
  readonly method: string;
  readonly url: string;
}

/** The OpenAPI document of an app with these routes. */
export function openApiDocument({
  version,
  routes,
}: {
  readonly version: string;
  readonly routes: readonly KnownRoute[];
}) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operationsOf(routes)) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: written(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Conch',
      version,
      description: 'An OpenAI-compatible server in front of NVIDIA Triton Inference Server.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    // Where keys are set, one of them is wanted.
    security: [{}, { bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: {
        ...Object.fromEntries(Object.entries(requestSchemas).map(([name, schema]) => [name, inputSchema(schema)])),
        ...answerSchemas,
      },
    },
  };
}

/** What the routes offer: as the table has it, or by their paths alone. */
function operationsOf(routes: readonly KnownRoute[]): readonly Operation[] {
  return routes.flatMap(({ method, url }): readonly Operation[] => {
    const known = operations.filter((row) => row.method === method.toLowerCase() && routeOf(row) === url);
    if (known.length > 0) return known;
    const path = url.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}');
    return [{ method: method.toLowerCase() as Operation['method'], path, tag: 'other', summary: path, answer: 'any' }];
  });
}

function routeOf({ path, route }: Operation): string {
  return route ?? path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function written({ method, path, tag, summary, body, query, answer, streams, example }: Operation) {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', minLength: 1 },
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema: inputSchema(schema as Parameters<typeof inputSchema>[0]),
    })),
  ];
  return {
    operationId: `${method}${path.replaceAll(/\W+(\w)?/g, (_, letter: string = '') => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(tag === 'health' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: reference(body), ...(example ? { example } : {}) } },
          },
        }),
    responses: {
      '200': { description: 'The answer.', headers, content: answerContent(answer, streams) },
      ...Object.fromEntries(
        statusesOf({ method, path, tag, summary, answer, ...(body ? { body } : {}) }).map((status) => [
          status,
          { description: failures[status] ?? '', headers, content: json(failureOf(path, status)) },
        ]),
      ),
    },
  };
}

/** Every answer says under which id the log has its request. */
const headers = { 'x-request-id': { schema: { type: 'string' }, required: true } };

function answerContent(answer: string, streams: Operation['streams']): JsonSchema {
  if (answer === 'any') return {};
  if (answer === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (answer === 'page') return { 'text/html': { schema: { type: 'string' } } };
  const whole = json(reference(answer));
  if (streams === undefined) return whole;
  return { ...whole, ...(streams === 'lines' ? lineStream : eventStream) };
}

/** What streams are made of. */
const eventStream = {
  'text/event-stream': { schema: { description: 'Server-sent events, each with JSON in its data.' } },
};
const lineStream = { 'application/x-ndjson': { schema: { description: 'Lines, each of which is an object.' } } };

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** What each status of a failure means. */
const failures: Readonly<Record<number, string>> = {
  400: 'A field, or the body, is not as it must be; the message says which.',
  401: 'The key, or the header of a restricted API, is missing or wrong.',
  403: 'The key may not use this model, not manage models, or not ask for a priority.',
  404: 'There is no such model, response or path.',
  408: 'The request took too long to arrive.',
  409: 'The model is being loaded or unloaded.',
  413: 'The body is larger than --http-max-input-size.',
  415: 'The body is not JSON, or it is compressed.',
  429: 'Too many requests; Retry-After says when to come again.',
  431: 'More or longer headers than allowed.',
  500: 'A fault of Conch itself; the log has the details.',
  502: 'The server behind failed, or is not reached.',
  503: 'The model or the server is not ready.',
  504: 'The request took longer than --request-timeout.',
};

/** Paths without a key that do not wait for servers. */
const alwaysThere = new Set(['/openapi.json', '/docs', '/health/live']);

function statusesOf({ tag, path, body }: Operation): readonly number[] {
  const always = [400, 401, 408, 413, 415, 431, 500];
  if (tag === 'health') return alwaysThere.has(path) ? always : [...always, 503];
  const named = path.includes('{') || body !== undefined;
  return [...always, ...(named ? [403, 404, 409, 429] : []), 502, 503, 504];
}

function failureOf(path: string, status: number): JsonSchema {
  if (path.startsWith('/v1/messages')) return reference('MessagesError');
  if (path.startsWith('/api/')) return reference('OllamaError');
  const isHealth = path.includes('health') && status === 503;
  return reference(isHealth ? 'NotReady' : 'Error');
}
