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
import { type Answer, done, jsonAnswer, jsonType } from './answer.ts';
import type { Exchange, Route } from './route.ts';

/** The model repository: what is in it, loading and unloading. */
export const repositoryRoutes: readonly Route[] = [
  post(/^\/v2\/repository(?:\/[^/]+)?\/index$/, index),
  post(/^\/v2\/repository(?:\/(?<repository>[^/]+))?\/models\/(?<model>[^/]+)\/load$/, load),
  post(/^\/v2\/repository(?:\/(?<repository>[^/]+))?\/models\/(?<model>[^/]+)\/unload$/, unload),
];

function post(path: RegExp, answer: Route['answer']): Route {
  return { path, methods: ['POST'], api: 'model-repository', contentType: jsonType, answer };
}

async function index({ server, body, signal }: Exchange): Promise<Answer> {
  const given = find(bodyJson(body), 'ready');
  const ready = given !== undefined && asBoolean(given);
  const { models } = await server.call('RepositoryIndex', { ready }, { signal });
  return jsonAnswer(
    models.map(({ name, version, state, reason }) => ({
      name: binaryOf(name),
      version: version === '' ? undefined : version,
      state: state === '' ? undefined : state,
      reason: reason === '' ? undefined : binaryOf(reason),
    })),
  );
}

async function load({ server, body, names, signal }: Exchange): Promise<Answer> {
  refuseRepository(names['repository']);
  const parameters: Record<string, RepositoryParameter> = {};
  const given = find(bodyJson(body), 'parameters');
  for (const [name, value] of given === undefined ? [] : asMembers(given)) {
    const text = asString(value);
    if (name === 'config') parameters[name] = { string_param: textOf(text) };
    else if (name.startsWith('file:'))
      parameters[textOf(name)] = { bytes_param: Buffer.from(bytesOf(text).toString(), 'base64') };
    else throw new StatusError('INTERNAL', 'unexpected error on creating Triton parameter');
  }
  await server.call('RepositoryModelLoad', { model_name: names['model'] ?? '', parameters }, { signal });
  return done(jsonType);
}

async function unload({ server, body, names, signal }: Exchange): Promise<Answer> {
  refuseRepository(names['repository']);
  const given = find(find(bodyJson(body), 'parameters') ?? null, 'unload_dependents');
  // Triton treats a value that is no boolean as false.
  const parameters = given === true ? { unload_dependents: { bool_param: true } } : {};
  await server.call('RepositoryModelUnload', { model_name: names['model'] ?? '', parameters }, { signal });
  return done(jsonType);
}

function bodyJson(body: Buffer): JsonValue {
  return body.length === 0 ? null : parseJson(body);
}

function refuseRepository(name: string | undefined): void {
  if (name !== undefined) throw new StatusError('UNIMPLEMENTED', "'repository_name' specification is not supported");
}
