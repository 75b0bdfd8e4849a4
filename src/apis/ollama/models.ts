import { ApiError } from '../../errors.ts';
import type { Endpoint, EndpointFacts } from '../../http/api.ts';
import { capabilitiesOf } from '../../http/capabilities.ts';
import { checkModel } from '../../http/guard.ts';
import { anyObject, listOf, object, text, whole } from '../../http/openapi/schema-parts.ts';
import { type RequestServices, reportIgnored } from '../../http/read-request.ts';
import { loadableNames, type ModelServices, usableModels } from '../../http/usable-models.ts';
import { contractName } from '../../models/abilities.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';
import { parseRequest } from '../../requests/fields.ts';
import { listEntry, type ModelFacts, ollamaVersion, runningEntry, showEntry } from './model-entries.ts';
import { replaceModelName } from './read-ollama.ts';
import { OllamaShowRequest } from './requests.ts';

const tag = 'ollama';
const reading = { methods: ['GET'], group: 'model-repository' } as const satisfies Partial<EndpointFacts>;

const modelList = {
  name: 'OllamaModels',
  schema: object({
    models: listOf(object({ name: text, model: text, size: whole, digest: text, details: anyObject })),
  }),
};

/** GET /api/version. */
export const versionEndpoint: Endpoint<unknown> = {
  ...reading,
  paths: ['/api/version'],
  operations: [
    {
      tag,
      summary: 'Returns the version of the Ollama API that Conch implements.',
      response: { name: 'OllamaVersion', schema: object({ version: text }) },
    },
  ],
  handler: () => async () => ({ version: ollamaVersion }),
};

/** GET /api/tags. */
export const tagsEndpoint: Endpoint<ModelServices> = {
  ...reading,
  paths: ['/api/tags'],
  operations: [{ tag, summary: 'Lists the available models (Ollama API).', response: modelList }],
  handler: (services) => async (request) => ({
    models: [
      ...(await usableModels(request, services)).map((model) => listEntry(factsOf(model))),
      ...loadableNames(request, services).map((name) => listEntry(factsOfName(services.models, name))),
    ],
  }),
};

/** GET /api/ps. */
export const runningEndpoint: Endpoint<ModelServices> = {
  ...reading,
  paths: ['/api/ps'],
  operations: [{ tag, summary: 'Lists the loaded models (Ollama API).', response: modelList }],
  handler: (services) => async (request) => ({
    models: (await usableModels(request, services)).map((model) => runningEntry(factsOf(model))),
  }),
};

/** POST /api/show. */
export const showEndpoint: Endpoint<ModelServices & RequestServices> = {
  methods: ['POST'],
  paths: ['/api/show'],
  group: 'model-repository',
  takesForms: true,
  operations: [
    {
      tag,
      summary: 'Describes a model (Ollama API).',
      request: { name: 'OllamaShowRequest', schema: OllamaShowRequest },
      response: {
        name: 'OllamaModel',
        schema: object({
          modelfile: text,
          parameters: text,
          template: text,
          details: anyObject,
          model_info: anyObject,
          capabilities: listOf(text),
          modified_at: text,
        }),
      },
      example: { model: 'llama' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { models } = services;
    replaceModelName(request, models);
    const { request: showRequest, ignoredFields, strictError } = parseRequest(OllamaShowRequest, request.body);
    if (services.strictFields && strictError) throw strictError;
    checkModel(request, showRequest.model);
    reportIgnored(request, reply, [...ignoredFields, ...(showRequest.verbose ? ['verbose'] : [])]);
    // The capabilities of a model that is not loaded are unknown.
    if (loadableNames(request, services).includes(showRequest.model))
      return showEntry(factsOfName(models, showRequest.model), { capabilities: {} });
    const model = await listedModel(models, showRequest.model);
    const capabilities = await capabilitiesOf(model);
    return showEntry(factsOf(model), { capabilities, template: model.loadedAssets()?.template?.text });
  },
};

/** Endpoints that change models. They are not supported; their error says what to do instead. */
export const refusedEndpoints: readonly Endpoint<unknown>[] = [
  refused('POST', '/api/push', 'Conch does not publish models'),
  refused(
    'POST',
    '/api/create',
    'Define the model in the configuration file: models: {NAME: {serves: MODEL, system: TEXT}}',
  ),
  refused('POST', '/api/copy', 'Add an alias to the configuration file: models: {NAME: {serves: MODEL}}'),
  refused(
    'DELETE',
    '/api/delete',
    'POST /v1/models/NAME/unload unloads the model. Its files are in the model repository of its server',
  ),
  refused('POST', '/api/blobs/:digest', 'Put files into the model repository of a Triton server'),
];

function refused(method: 'POST' | 'DELETE', path: string, instead: string): Endpoint<unknown> {
  const refusal = (): ApiError =>
    new ApiError('invalid_request', `${method} ${path.replace('/:digest', '')} is not supported. ${instead}.`);
  return {
    methods: [method],
    paths: [path],
    group: 'model-repository',
    refusal,
    operations: [{ tag, summary: 'Not supported. The error says what to do instead.', response: 'any' }],
    handler: () => () => {
      throw refusal();
    },
  };
}

function factsOf(model: NamedModel): ModelFacts {
  const { name, created, fingerprint } = model;
  return {
    name,
    created,
    fingerprint,
    parent: generatesText(model) ? model.parent : undefined,
    kind: contractName(model),
    contextLength: model.contextLength(),
  };
}

function factsOfName(models: ModelRegistry, name: string): ModelFacts {
  return { name, created: models.createdAt(name) };
}
