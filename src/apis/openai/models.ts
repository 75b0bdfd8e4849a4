import type { Endpoint, NamedSchema } from '../../http/api.ts';
import { capabilitiesOf } from '../../http/capabilities.ts';
import { modelInPath } from '../../http/model-path.ts';
import { constant, flag, listOf, object, orNull, text, whole } from '../../http/openapi/schema-parts.ts';
import { loadableNames, type ModelServices, usableModels } from '../../http/usable-models.ts';
import { contractName } from '../../models/abilities.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';

/** OpenAI's path and the shorter one. */
const paths = ['/v1/models', '/models'];

/** The paths of one model. Served names may hold slashes, so the rest of the path is the name. */
export const modelPaths = paths.map((path) => `${path}/*`);

/** A model in the OpenAPI document. */
export const modelSchema: NamedSchema = {
  name: 'Model',
  schema: object(
    { id: text, object: constant('model'), created: whole, owned_by: text },
    {
      root: text,
      parent: orNull(text),
      version: text,
      max_model_len: orNull(whole),
      contract: text,
      capabilities: { type: 'object', additionalProperties: flag },
      state: { enum: ['unloaded', 'not offered'] },
    },
  ),
};

/** GET and POST /v1/models. */
export const modelsEndpoint: Endpoint<ModelServices> = {
  methods: ['GET', 'POST'],
  paths,
  group: 'model-repository',
  operations: [
    {
      tag: 'models',
      summary: 'Lists the available models.',
      response: {
        name: 'Models',
        schema: object({
          object: constant('list'),
          data: listOf({ $ref: `#/components/schemas/${modelSchema.name}` }),
        }),
      },
    },
  ],
  handler: (services) => async (request) => ({
    object: 'list',
    data: [
      ...(await Promise.all((await usableModels(request, services)).map(describeModel))),
      ...loadableNames(request, services).map((name) => describeName(services.models, name, 'unloaded')),
    ],
  }),
};

/** GET /v1/models/{id}. The POST is in model-control.ts, with load and unload, which share its path. */
export const modelEndpoint: Endpoint<ModelServices> = {
  methods: ['GET'],
  paths: modelPaths,
  group: 'model-repository',
  operations: [{ tag: 'models', summary: 'Describes a model.', response: modelSchema }],
  handler: (services) => async (request) => {
    const { models } = services;
    const name = modelInPath(request, models);
    const isUnloaded = loadableNames(request, services).includes(name);
    return isUnloaded ? describeName(models, name, 'unloaded') : describeModel(await listedModel(models, name));
  },
};

/** A model of which only the name is known, because it is not loaded or has no supported contract. */
export function describeName(models: ModelRegistry, name: string, state: 'unloaded' | 'not offered') {
  return { id: name, object: 'model', created: models.createdAt(name), owned_by: 'triton', state };
}

/** A model that is served. */
export async function describeModel(model: NamedModel) {
  const capabilities = await capabilitiesOf(model);
  return {
    id: model.name,
    object: 'model',
    created: model.created,
    owned_by: 'triton',
    root: model.root,
    parent: generatesText(model) ? (model.parent ?? null) : null,
    version: model.version,
    max_model_len: model.contextLength() ?? null,
    contract: contractName(model),
    capabilities,
  };
}
