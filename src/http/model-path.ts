import type { FastifyRequest } from 'fastify';
import type { ModelRegistry } from '../models/registry.ts';
import { servedName } from '../models/tagged-names.ts';
import { splitMethod } from './custom-method.ts';
import { checkModel } from './guard.ts';

/** The rest of a path that ends with a wildcard, without a custom method. Names of models may have slashes. */
export function restOfPath({ params, endpoint }: Pick<FastifyRequest, 'params' | 'endpoint'>): string {
  const { '*': rest } = params as { readonly '*': string };
  return endpoint?.customMethod === undefined ? rest : splitMethod(rest).rest;
}

/** The served name of the model in the path of a request. Rejects a model that the key cannot use. */
export function modelInPath(request: FastifyRequest, models: Pick<ModelRegistry, 'targets'>): string {
  const name = servedName(restOfPath(request), models);
  checkModel(request, name);
  return name;
}
