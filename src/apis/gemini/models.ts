import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { Endpoint, EndpointFacts, NamedSchema } from '../../http/api.ts';
import { modelInPath } from '../../http/model-path.ts';
import { listOf, object, text, whole } from '../../http/openapi/schema-parts.ts';
import { loadableNames, type ModelServices, usableModels } from '../../http/usable-models.ts';
import { listedModel } from '../../models/listed-models.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';

const modelSchema: NamedSchema = {
  name: 'GeminiModel',
  schema: object(
    { name: text, displayName: text, supportedGenerationMethods: listOf(text) },
    { version: text, inputTokenLimit: whole, outputTokenLimit: whole },
  ),
};

/** Query strings have only texts. */
const pageQuery = z.object({
  pageSize: z
    .string()
    .regex(/^\d{1,6}$/)
    .optional(),
  pageToken: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
});

const shared = {
  methods: ['GET'],
  group: 'model-repository',
  takesKeyInQuery: true,
} as const satisfies Partial<EndpointFacts>;

/** GET /v1beta/models. */
export const modelsEndpoint: Endpoint<ModelServices> = {
  ...shared,
  paths: ['/v1beta/models'],
  operations: [
    {
      tag: 'gemini',
      summary: 'Lists the available models (Gemini API).',
      query: pageQuery,
      response: {
        name: 'GeminiModels',
        schema: object(
          { models: listOf({ $ref: `#/components/schemas/${modelSchema.name}` }) },
          { nextPageToken: text },
        ),
      },
    },
  ],
  handler: (services) => async (request) => {
    const { size, start } = pageOf(request.query);
    const models = [
      ...(await usableModels(request, services)).map(describeModel),
      ...loadableNames(request, services).map(describeName),
    ];
    const end = start + size;
    return { models: models.slice(start, end), ...(end < models.length ? { nextPageToken: String(end) } : {}) };
  },
};

/** GET /v1beta/models/{model}. */
export const modelEndpoint: Endpoint<ModelServices> = {
  ...shared,
  paths: ['/v1beta/models/*'],
  operations: [{ tag: 'gemini', summary: 'Describes a model (Gemini API).', response: modelSchema }],
  handler: (services) => async (request) => {
    const name = modelInPath(request, services.models);
    const isUnloaded = loadableNames(request, services).includes(name);
    return isUnloaded ? describeName(name) : describeModel(await listedModel(services.models, name));
  },
};

/** Google's page size, and its maximum. */
const defaultPage = 50;
const largestPage = 1_000;

function pageOf(query: unknown): { readonly size: number; readonly start: number } {
  const { data, error } = pageQuery.safeParse(query);
  if (error) {
    const [param] = error.issues[0]?.path ?? [];
    const message = `${String(param)}: must be ${param === 'pageSize' ? 'an integer' : 'a nextPageToken of this list'}.`;
    throw new ApiError('invalid_request', message, { param: String(param) });
  }
  const size = Number(data.pageSize ?? 0) || defaultPage;
  return { size: Math.min(size, largestPage), start: Number(data.pageToken ?? 0) };
}

/** A model that is served. */
function describeModel(model: NamedModel) {
  const context = model.contextLength();
  const makesEmbeddings = model.rows.embedding !== undefined;
  return {
    name: `models/${model.name}`,
    version: model.version,
    displayName: model.name,
    ...(context === undefined ? {} : { inputTokenLimit: context, outputTokenLimit: context }),
    supportedGenerationMethods: [
      ...(generatesText(model) ? ['generateContent', 'streamGenerateContent', 'countTokens'] : []),
      ...(makesEmbeddings ? ['embedContent', 'batchEmbedContents'] : []),
    ],
  };
}

/** A model that is not loaded: what it supports is unknown. */
function describeName(name: string) {
  return { name: `models/${name}`, displayName: name, supportedGenerationMethods: [] };
}
