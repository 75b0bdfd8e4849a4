import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { type KeyHolder, managementRefused, mayManage, mayUse } from '../keys/key-holder.ts';
import type { KeyRegistry } from '../keys/key-registry.ts';
import type { RequestWatch } from '../request-watch.ts';
import type { EndpointFacts } from './api.ts';
import { identify } from './auth.ts';
import { type KeyLimits, passKey } from './key-limits.ts';
import { requestSignal } from './request-signal.ts';
import { type RestrictedApi, type RestrictedGroup, restrictionCheck } from './restricted-apis.ts';
import type { TokenEstimate } from './token-estimate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's key: the same for the same key; empty without keys. */
    owner: string;
    /** Releases the request from the limits of its key, and charges the tokens that it used. */
    leaveKey?: ((watch?: RequestWatch) => void) | undefined;
    /** Reserves the tokens that the request may use. Throws if the key has none left. */
    reserveTokens?: ((estimate: TokenEstimate) => Promise<void>) | undefined;
  }
}

/** What requests are checked with. */
export interface GuardOptions {
  readonly keys: KeyRegistry;
  readonly keyLimits: KeyLimits;
  readonly restrictedApis: readonly RestrictedApi[];
}

/** Returns a check of a request's key, which health and the web UI do not need, and of the header of its group. */
export function guard(app: FastifyInstance, { keys, keyLimits, restrictedApis }: GuardOptions) {
  app.decorateRequest('owner', '');
  app.decorateRequest('leaveKey', undefined);
  app.decorateRequest('reserveTokens', undefined);
  const missingHeader = restrictionCheck(restrictedApis);
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<undefined> => {
    const { group, isUncounted, takesKeyInQuery }: Partial<EndpointFacts> = request.endpoint ?? {};
    if (group !== 'health' && group !== 'page') {
      const { key } = (takesKeyInQuery ? request.query : {}) as { readonly key?: unknown };
      request.key = await identify(request.headers, keys, key);
    }
    request.owner = request.key?.owner ?? '';
    const missing = missingHeader(group, request.headers);
    if (missing !== undefined)
      throw new ApiError('invalid_auth', `This API is restricted. Send the required value in the header "${missing}".`);
    if (request.key && !isUncounted && runsModels(group))
      await countForKey(request, reply, { holder: request.key, keyLimits });
  };
  // Without keys, requests do not pay for a promise.
  return (request: FastifyRequest, reply: FastifyReply): Promise<undefined> | undefined =>
    keys.isLocked || restrictedApis.length > 0 ? admit(request, reply) : undefined;
}

/** Rejects routes without a group, which would need no key. */
export function requireGroups(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.endpoint?.group === undefined) throw new Error(`Route ${url} has no endpoint.`);
  });
}

/** Whether requests to this group count towards the limits of their key. */
export function runsModels(group: RestrictedGroup | undefined): boolean {
  return group === 'inference' || group === 'embedding';
}

/** Counts a request for its key until its response is sent; then charges the tokens that it used. */
export async function countForKey(
  request: FastifyRequest,
  reply: FastifyReply,
  { holder, keyLimits }: { readonly holder: KeyHolder; readonly keyLimits: KeyLimits },
): Promise<void> {
  const pass = await passKey(holder, keyLimits, requestSignal(reply));
  reply.headers(pass.headers);
  let guessed = 0;
  request.reserveTokens = (estimate) => {
    guessed = estimate.prompt;
    return pass.reserve(estimate.prompt + estimate.completion);
  };
  request.leaveKey = (watch = request.watch) => {
    const { prompt, completion } = watch.tokens();
    // A prompt without a token count is charged as estimated, if there is a completion.
    pass.leave(prompt === 0 && completion > 0 ? guessed + completion : prompt + completion);
  };
  const { raw } = reply;
  if (raw.destroyed) request.leaveKey();
  else raw.once('close', () => request.leaveKey?.());
}

/** Rejects a model that the key cannot use. The error is the same for models that do not exist. */
export function checkModel({ key }: FastifyRequest, model: string): void {
  if (mayUse(key, model)) return;
  throw new ApiError('model_not_allowed', `This API key does not have access to the model ${JSON.stringify(model)}.`, {
    param: 'model',
  });
}

/** Rejects changes of models and servers with a key that is limited to specific models. */
export function checkManages({ key }: FastifyRequest): void {
  if (!mayManage(key)) throw new ApiError('management_not_allowed', managementRefused);
}
