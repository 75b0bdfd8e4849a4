import { parseJson } from '../../kserve/json-parse.ts';
import {
  asBoolean,
  asMembers,
  asString,
  binaryOf,
  bytesOf,
  find,
  type JsonValue,
  textOf,
} from '../../kserve/json-value.ts';
import type { RepositoryParameter } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import { emptyResponse, type HttpResponse, jsonResponse, jsonType } from './http-response.ts';
import type { Exchange, Route } from './route.ts';

/** The model repository: what is in it, loading and unloading. */
export const repositoryRoutes: readonly Route[] = [
  post(/^\/v2\/repository(?:\/[^/]+)?\/index$/, index),
  post(/^\/v2\/repository(?:\/(?<repository>[^/]+))?\/models\/(?<model>[^/]+)\/load$/, load),
  post(/^\/v2\/repository(?:\/(?<repository>[^/]+))?\/models\/(?<model>[^/]+)\/unload$/, unload),
];

function post(path: RegExp, respond: Route['respond']): Route {
  return { path, methods: ['POST'], api: 'model-repository', contentType: jsonType, respond };
}

async function index({ server, body, signal }: Exchange): Promise<HttpResponse> {
  const value = find(bodyJson(body), 'ready');
  const ready = value !== undefined && asBoolean(value);
  const { models } = await server.call('RepositoryIndex', { ready }, { signal });
  return jsonResponse(
    models.map(({ name, version, state, reason }) => ({
      name: binaryOf(name),
      version: version === '' ? undefined : version,
      state: state === '' ? undefined : state,
      reason: reason === '' ? undefined : binaryOf(reason),
    })),
  );
}

async function load({ server, body, names, signal }: Exchange): Promise<HttpResponse> {
  refuseRepository(names['repository']);
  const parameters: Record<string, RepositoryParameter> = {};
  const json = find(bodyJson(body), 'parameters');
  for (const [name, value] of json === undefined ? [] : asMembers(json)) {
    const text = asString(value);
    if (name === 'config') parameters[name] = { string_param: textOf(text) };
    else if (name.startsWith('file:'))
      parameters[textOf(name)] = { bytes_param: Buffer.from(bytesOf(text).toString(), 'base64') };
    else throw new StatusError('INTERNAL', 'unexpected error on creating Triton parameter');
  }
  await server.call('RepositoryModelLoad', { model_name: names['model'] ?? '', parameters }, { signal });
  return emptyResponse(jsonType);
}

async function unload({ server, body, names, signal }: Exchange): Promise<HttpResponse> {
  refuseRepository(names['repository']);
  const value = find(find(bodyJson(body), 'parameters') ?? null, 'unload_dependents');
  // Triton treats a value that is no boolean as false.
  const parameters = value === true ? { unload_dependents: { bool_param: true } } : {};
  await server.call('RepositoryModelUnload', { model_name: names['model'] ?? '', parameters }, { signal });
  return emptyResponse(jsonType);
}

function bodyJson(body: Buffer): JsonValue {
  return body.length === 0 ? null : parseJson(body);
}

function refuseRepository(name: string | undefined): void {
  if (name !== undefined) throw new StatusError('UNIMPLEMENTED', "'repository_name' specification is not supported");
}
