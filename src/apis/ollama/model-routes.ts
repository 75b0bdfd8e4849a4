import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import { checkModel } from '../../http/guard.ts';
import { type RequestServices, refuseUnknown, tellIgnored } from '../../http/read-request.ts';
import { contractName } from '../../models/abilities.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type NamedModel } from '../../models/served-model.ts';
import { parseRequest } from '../../requests/fields.ts';
import { describeModel, loadableNames, type ModelServices, usableModels } from '../openai/models-routes.ts';
import { listEntry, type ModelFacts, ollamaVersion, runningEntry, shownModel } from './model-entries.ts';
import { nameServed } from './read-ollama.ts';
import { OllamaShowRequest } from './requests.ts';

/** What Ollama's clients may want to change, and how that is done here. */
const refusals = [
  [
    'POST',
    '/api/pull',
    'models come from the servers behind Conch: add it to their repository, or start Conch with --model',
  ],
  ['POST', '/api/push', 'models are not published from here'],
  ['POST', '/api/create', 'describe it in the configuration file: models: {NAME: {serves: MODEL, system: TEXT}}'],
  ['POST', '/api/copy', 'give it a second name in the configuration file: models: {NAME: {serves: MODEL}}'],
  ['DELETE', '/api/delete', 'POST /v1/models/NAME/unload unloads it; its files are in the repository of its server'],
  ['POST', '/api/blobs/:digest', 'files are not taken; put them into the repository of a server'],
] as const;

/** GET /api/tags, /api/ps and /api/version, POST /api/show, and the refusal of all that would change a model. */
export function ollamaModelRoutes(app: FastifyInstance, services: ModelServices & RequestServices): void {
  const { models } = services;
  const config = { api: 'model-repository' } as const;
  app.get('/api/version', { config }, async () => ({ version: ollamaVersion }));
  app.get('/api/tags', { config }, async (request) => ({
    models: [
      ...(await usableModels(request, services)).map((model) => listEntry(factsOf(model))),
      ...loadableNames(request, services).map((name) => listEntry(factsOfName(models, name))),
    ],
  }));
  app.get('/api/ps', { config }, async (request) => ({
    models: (await usableModels(request, services)).map((model) => runningEntry(factsOf(model))),
  }));
  app.post('/api/show', { config: { ...config, takesForms: true } }, async (request, reply) => {
    nameServed(request, models);
    const { request: asked, unknownFields } = parseRequest(OllamaShowRequest, request.body);
    if (services.strictFields) refuseUnknown(unknownFields);
    checkModel(request, asked.model);
    tellIgnored(request, reply, [...unknownFields, ...(asked.verbose ? ['verbose'] : [])]);
    if (loadableNames(request, services).includes(asked.model))
      // What is not loaded says nothing of itself.
      return shownModel(factsOfName(models, asked.model), { capabilities: {} });
    const model = await listedModel(models, asked.model);
    const { capabilities } = await describeModel(model);
    return shownModel(factsOf(model), { capabilities, template: model.loadedAssets()?.template?.text });
  });
  for (const [method, url, instead] of refusals) {
    const refuse = async (): Promise<never> => {
      throw new ApiError('invalid_request', `${method} ${url.replace('/:digest', '')} is not offered: ${instead}.`);
    };
    // Before the body is read, which may be of any kind.
    app.route({ method, url, config, onRequest: refuse, handler: refuse });
  }
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
