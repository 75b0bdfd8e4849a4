import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ModelRegistry } from '../../models/registry.ts';
import type { ServedModel } from '../../models/served-model.ts';

/** The models that are served, under OpenAI's path and the shorter one, read with GET or POST. */
export function modelRoutes(app: FastifyInstance, { models }: { readonly models: ModelRegistry }): void {
  const config = { api: 'model-repository' } as const;
  for (const path of ['/v1/models', '/models']) {
    app.route({
      method: ['GET', 'POST'],
      config,
      url: path,
      handler: async () => ({ object: 'list', data: await Promise.all(models.list().map(describe)) }),
    });
    // Served names may hold slashes, so the rest of the path is the name.
    app.route<{ Params: { '*': string } }>({
      method: ['GET', 'POST'],
      config,
      url: `${path}/*`,
      handler: async (request) => describe(models.find(request.params['*'])),
    });
  }
}

async function describe(model: ServedModel) {
  const { contract } = model;
  const assets = await assetsWithin(model, longestWait);
  return {
    id: model.name,
    object: 'model',
    created: model.created,
    owned_by: 'triton',
    root: model.root,
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

/** Milliseconds that the list waits for tokenizers that are still being loaded. */
const longestWait = 5_000;

/** What a model has of tokenizer and template, waiting for a load that is under way, but not for a hub that is silent. */
async function assetsWithin(
  model: ServedModel,
  milliseconds: number,
): Promise<ReturnType<ServedModel['loadedAssets']>> {
  const stop = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  await Promise.race([model.assets().catch(() => undefined), timeout]);
  stop.abort();
  return model.loadedAssets();
}
