import type { FastifyInstance } from 'fastify';
import type { ModelRegistry } from '../../models/registry.ts';
import type { ServedModel } from '../../models/served-model.ts';

/** The models that are served, under OpenAI's path and the shorter one, read with GET or POST. */
export function modelRoutes(app: FastifyInstance, { models }: { readonly models: ModelRegistry }): void {
  for (const path of ['/v1/models', '/models']) {
    app.route({
      method: ['GET', 'POST'],
      url: path,
      handler: async () => ({ object: 'list', data: models.list().map(describe) }),
    });
    // Served names may hold slashes, so the rest of the path is the name.
    app.route<{ Params: { '*': string } }>({
      method: ['GET', 'POST'],
      url: `${path}/*`,
      handler: async (request) => describe(models.find(request.params['*'])),
    });
  }
}

function describe(model: ServedModel) {
  const { contract } = model;
  const assets = model.loadedAssets();
  return {
    id: model.name,
    object: 'model',
    created: model.created,
    owned_by: 'triton',
    root: model.model,
    version: model.version,
    max_model_len: model.contextLength() ?? null,
    contract: contract.kind,
    capabilities: {
      completion: true,
      chat: assets?.template !== undefined,
      logprobs: contract.support('logprobs').kind !== 'refused',
      logit_bias: contract.support('logit_bias').kind !== 'refused',
      token_ids: assets?.tokenizer !== undefined,
    },
  };
}
