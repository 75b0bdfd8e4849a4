import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { modelInPath } from '../../http/model-path.ts';
import { loadableNames, type ModelServices, usableModels } from '../../http/usable-models.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';
import { parseRequest } from '../../requests/fields.ts';

/** Anthropic's clients send it with every request; OpenAI's models have the same paths. */
const header = 'anthropic-version';

/** The query of GET /v1/models. */
const ModelPageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
});

type ModelPageQuery = z.output<typeof ModelPageQuery>;

/** GET /v1/models of Anthropic's clients: the models that generate text. */
export const modelsEndpoint: Endpoint<ModelServices> = {
  methods: ['GET'],
  paths: ['/v1/models'],
  header,
  group: 'model-repository',
  operations: [],
  handler: (services) => async (request) => {
    const { request: query } = parseRequest(ModelPageQuery, request.query);
    const models = (await usableModels(request, services)).filter(generatesText).map(describeModel);
    const names = loadableNames(request, services).map((name) => describeName(services.models, name));
    return modelPage([...models, ...names], query);
  },
};

/** GET /v1/models/{id} of Anthropic's clients. */
export const modelEndpoint: Endpoint<ModelServices> = {
  methods: ['GET'],
  paths: ['/v1/models/*'],
  header,
  group: 'model-repository',
  operations: [],
  handler: (services) => async (request) => {
    const name = modelInPath(request, services.models);
    const isUnloaded = loadableNames(request, services).includes(name);
    return isUnloaded ? describeName(services.models, name) : describeModel(await listedModel(services.models, name));
  },
};

interface ModelEntry {
  readonly type: 'model';
  readonly id: string;
  readonly display_name: string;
  readonly created_at: string;
  /** Null if the context length is unknown. */
  readonly max_input_tokens: number | null;
  readonly max_tokens: number | null;
}

function describeModel(model: NamedModel): ModelEntry {
  return entryOf(model.name, model.created, model.contextLength());
}

/** A model that is not loaded. */
function describeName(models: ModelRegistry, name: string): ModelEntry {
  return entryOf(name, models.createdAt(name), undefined);
}

function entryOf(name: string, created: number, contextLength: number | undefined): ModelEntry {
  return {
    type: 'model',
    id: name,
    display_name: name,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: contextLength ?? null,
    max_tokens: contextLength ?? null,
  };
}

/** A page after or before an entry; the first one if the query names none. */
export function modelPage<Entry extends { readonly id: string }>(entries: readonly Entry[], query: ModelPageQuery) {
  const { limit, after_id: after, before_id: before } = query;
  const begin = after === undefined ? 0 : indexOf(entries, 'after_id', after) + 1;
  const end = before === undefined ? entries.length : indexOf(entries, 'before_id', before);
  // Pages before an entry end at it.
  const rest = entries.slice(begin, end);
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function indexOf(entries: readonly { readonly id: string }[], param: 'after_id' | 'before_id', id: string): number {
  const at = entries.findIndex((entry) => entry.id === id);
  if (at < 0)
    throw new ApiError('invalid_request', `${param}: no model in the list has the id ${JSON.stringify(id)}.`, {
      param,
    });
  return at;
}
