import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { capabilitiesOf } from '../../http/capabilities.ts';
import { checkModel } from '../../http/guard.ts';
import { mayUse } from '../../keys/key-holder.ts';
import { contractName } from '../../models/abilities.ts';
import { listedModel, listedModels } from '../../models/listed-models.ts';
import type { LoadOnDemand } from '../../models/load-on-demand.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';

/** What the list of models needs. */
export interface ModelServices {
  readonly models: ModelRegistry;
  /** Left out: what is not loaded is not served. */
  readonly onDemand?: LoadOnDemand | undefined;
}

/**
 * The models that are served, under OpenAI's path and the shorter one, read with GET or POST. The POST to one of them
 * stands in model-control.ts, beside the orders that share its path.
 */
export function modelRoutes(app: FastifyInstance, services: ModelServices): void {
  const { models } = services;
  const config = { api: 'model-repository' } as const;
  for (const path of ['/v1/models', '/models']) {
    app.route({
      method: ['GET', 'POST'],
      config,
      url: path,
      handler: async (request) => ({
        object: 'list',
        data: [
          ...(await Promise.all((await usableModels(request, services)).map(describeModel))),
          ...loadableNames(request, services).map((name) => describeName(models, name, 'unloaded')),
        ],
      }),
    });
    // Served names may hold slashes, so the rest of the path is the name.
    app.get<{ Params: { '*': string } }>(`${path}/*`, { config }, async (request) => {
      const name = request.params['*'];
      checkModel(request, name);
      const isUnloaded = loadableNames(request, services).includes(name);
      return isUnloaded ? describeName(models, name, 'unloaded') : describeModel(await listedModel(models, name));
    });
  }
}

/** The models that a request may name now. */
export async function usableModels({ key }: FastifyRequest, { models }: ModelServices): Promise<NamedModel[]> {
  return (await listedModels(models)).filter(({ name }) => mayUse(key, name));
}

/** The models that would be loaded for a request that names them. */
export function loadableNames({ key }: FastifyRequest, { onDemand }: ModelServices): string[] {
  return onDemand?.loadable().filter((name) => mayUse(key, name)) ?? [];
}

/** A model of which only the name is known, because it is not loaded or does not speak to us. */
export function describeName(models: ModelRegistry, name: string, state: 'unloaded' | 'not offered') {
  return { id: name, object: 'model', created: models.createdAt(name), owned_by: 'triton', state };
}

/** A model that is served. */
export async function describeModel(model: NamedModel) {
  const assets = await assetsWithin(model, longestWait);
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
    capabilities: capabilitiesOf(model, assets),
  };
}

/** Milliseconds that the list waits for tokenizers that are still being loaded. */
const longestWait = 5_000;

/** What a model has of tokenizer and template, waiting for a load that is under way, but not for a hub that is silent. */
async function assetsWithin(model: NamedModel, milliseconds: number): Promise<ReturnType<NamedModel['loadedAssets']>> {
  const stop = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  await Promise.race([model.assets().catch(() => undefined), timeout]);
  stop.abort();
  return model.loadedAssets();
}
