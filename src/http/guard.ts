import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { keyCheck } from './auth.ts';
import { type ApiName, type RestrictedApi, restrictionCheck } from './restricted-apis.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route belongs to. */
    readonly api: ApiName;
  }

  interface FastifyRequest {
    /** Whom the request comes from: the same for the same key; empty without keys. */
    owner: string;
  }
}

/** What requests must bring. */
export interface GuardOptions {
  readonly apiKey: string | undefined;
  readonly restrictedApis: readonly RestrictedApi[];
}

/** Lets requests pass that bring the key, which health does without, and the header that their API wants. */
export function guard(app: FastifyInstance, { apiKey, restrictedApis }: GuardOptions): void {
  const ownerOf = apiKey === undefined ? () => '' : keyCheck(apiKey);
  app.decorateRequest('owner', '');
  const missingHeader = restrictionCheck(restrictedApis);
  app.addHook('onRoute', ({ url, config }) => {
    // A route without an API would be open to all.
    if (config?.api === undefined) throw new Error(`${url} does not say which API it belongs to.`);
  });
  app.addHook('onRequest', async (request) => {
    const api: ApiName | undefined = request.routeOptions.config?.api;
    if (api !== 'health') request.owner = ownerOf(request);
    const missing = missingHeader(api, request.headers);
    if (missing !== undefined)
      throw new ApiError('invalid_auth', `This API is restricted. Send its value in the header "${missing}".`);
  });
}
