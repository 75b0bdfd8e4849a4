import type { Api, EndpointFacts, NamedSchema, Operation } from '../api.ts';
import { inputSchema, type JsonSchema } from './json-schema.ts';

type DocumentedApi = Pick<Api<never>, 'errorSchema'> & { readonly endpoints: readonly EndpointFacts[] };

/** An operation with its path and method. */
interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly group: EndpointFacts['group'];
  readonly operation: Operation;
  readonly errorSchema: NamedSchema;
}

/** The OpenAPI document of these APIs. */
export function openApiDocument({
  version,
  apis,
}: {
  readonly version: string;
  readonly apis: readonly DocumentedApi[];
}) {
  const all = apis.flatMap(operationsOf);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of all) paths[entry.path] = { ...paths[entry.path], [entry.method]: operationObject(entry) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Conch',
      version,
      description: 'An OpenAI-compatible server in front of NVIDIA Triton Inference Server.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    // A key is needed only if Conch has keys.
    security: [{}, { bearer: [] }, { apiKey: [] }, { googleApiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        googleApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
      schemas: Object.fromEntries([...requestSchemas(all), ...responseSchemas(all)]),
    },
  };
}

/** Each path of an endpoint with each of its methods and operations. */
export function operationsOf({ endpoints, errorSchema }: DocumentedApi): ApiOperation[] {
  return endpoints.flatMap(({ methods, paths, customMethod, group, operations }) =>
    paths.flatMap((path) =>
      methods.flatMap((method) =>
        operations.map((operation) => ({
          method: method.toLowerCase(),
          path: documentedPath(path, customMethod === undefined ? operation.suffix : `:${customMethod}`),
          group,
          operation,
          errorSchema,
        })),
      ),
    ),
  );
}

function documentedPath(path: string, suffix = ''): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{id}') + suffix;
}

function* requestSchemas(all: readonly ApiOperation[]): Generator<[string, JsonSchema]> {
  const requests = new Map(all.flatMap(({ operation: { request } }) => (request ? [[request.name, request]] : [])));
  for (const [name, { schema }] of requests) yield [name, inputSchema(schema)];
}

function* responseSchemas(all: readonly ApiOperation[]): Generator<[string, JsonSchema]> {
  for (const { operation, errorSchema } of all)
    for (const each of [operation.response, operation.unready, errorSchema])
      if (typeof each === 'object') yield [each.name, each.schema];
}

function operationObject(entry: ApiOperation) {
  const { method, path, group, operation } = entry;
  const { tag, summary, request, query, response, streams, example } = operation;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', minLength: 1 },
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({ name, in: 'query', schema: inputSchema(schema) })),
  ];
  return {
    operationId: `${method}${path.replaceAll(/\W+(\w)?/g, (_, letter: string = '') => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(group === 'health' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: reference(request), ...(example ? { example } : {}) } },
          },
        }),
    responses: {
      '200': { description: 'The response.', headers, content: responseContent(response, streams) },
      ...Object.fromEntries(
        statusesOf(entry).map((status) => [
          status,
          { description: failures[status] ?? '', headers, content: json(failureOf(entry, status)) },
        ]),
      ),
    },
  };
}

/** Every response has the id of its request in the log. */
const headers = { 'x-request-id': { schema: { type: 'string' }, required: true } };

function responseContent(response: Operation['response'], streams: Operation['streams']): JsonSchema {
  if (response === 'any') return {};
  if (response === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (response === 'html') return { 'text/html': { schema: { type: 'string' } } };
  const whole = json(reference(response));
  if (streams === undefined) return whole;
  return { ...whole, ...(streams === 'lines' ? lineStream : eventStream) };
}

/** Content types of streams. */
const eventStream = {
  'text/event-stream': { schema: { description: 'Server-sent events with JSON data.' } },
};
const lineStream = { 'application/x-ndjson': { schema: { description: 'One JSON object per line.' } } };

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function reference({ name }: { readonly name: string }): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Descriptions of error statuses. */
const failures: Readonly<Record<number, string>> = {
  400: 'A field or the body is invalid. The message names it.',
  401: 'The API key or the header of a restricted API is missing or wrong.',
  403: 'The API key does not allow this model, managing models, or this priority.',
  404: 'The model, response or path does not exist.',
  408: 'The request took too long to arrive.',
  409: 'The model is being loaded or unloaded.',
  413: 'The body is larger than --http-max-input-size.',
  415: 'The body is not JSON, or it is compressed.',
  429: 'Too many requests. Retry-After says when to try again.',
  431: 'Too many headers, or too large.',
  500: 'Internal error of Conch. The log has the details.',
  502: 'The upstream server failed or is unreachable.',
  503: 'The model or the server is not ready.',
  504: 'The request took longer than --request-timeout.',
};

/** The error statuses of an operation. Health checks do not fail with the upstream servers. */
function statusesOf({ group, path, operation: { request, unready } }: ApiOperation): readonly number[] {
  const always = [400, 401, 408, 413, 415, 431, 500];
  if (group === 'health') return unready ? [...always, 503] : always;
  const named = path.includes('{') || request !== undefined;
  return [...always, ...(named ? [403, 404, 409, 429] : []), 502, 503, 504];
}

function failureOf({ operation: { unready }, errorSchema }: ApiOperation, status: number): JsonSchema {
  return reference(status === 503 && unready ? unready : errorSchema);
}
