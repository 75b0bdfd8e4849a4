import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { KeyBook } from '../keys/key-book.ts';
import { type KeyHolder, managementRefused, mayManage, mayUse } from '../keys/key-holder.ts';
import type { RequestWatch } from '../request-watch.ts';
import type { EndpointFacts } from './api.ts';
import { identify } from './auth.ts';
import { type KeyLimits, passKey } from './key-limits.ts';
import { requestSignal } from './request-signal.ts';
import { type RestrictedApi, type RestrictedGroup, restrictionCheck } from './restricted-apis.ts';
import type { TokenEstimate } from './token-estimate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the request comes from: the same for the same key; empty without keys. */
    owner: string;
    /** Says that the request no longer counts among those of its key, and took the tokens that were watched. */
    leaveKey?: ((watch?: RequestWatch) => void) | undefined;
    /** Sets tokens of its key aside, as many as the request may take. Throws where none is left. */
    reserveTokens?: ((estimate: TokenEstimate) => Promise<void>) | undefined;
  }
}

/** What requests must bring. */
export interface GuardOptions {
  readonly keys: KeyBook;
  readonly keyLimits: KeyLimits;
  readonly restrictedApis: readonly RestrictedApi[];
}

/** Gives what lets requests pass that bring a key, which health and the web UI do without, and the header that their group wants. */
export function guard(app: FastifyInstance, { keys, keyLimits, restrictedApis }: GuardOptions) {
  app.decorateRequest('owner', '');
  app.decorateRequest('leaveKey', undefined);
  app.decorateRequest('reserveTokens', undefined);
  const missingHeader = restrictionCheck(restrictedApis);
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<undefined> => {
    const { group, isUncounted }: Partial<EndpointFacts> = request.endpoint ?? {};
    if (group !== 'health' && group !== 'page') request.key = await identify(request.headers, keys);
    request.owner = request.key?.owner ?? '';
    const missing = missingHeader(group, request.headers);
    if (missing !== undefined)
      throw new ApiError('invalid_auth', `This API is restricted. Send its value in the header "${missing}".`);
    if (request.key && !isUncounted && runsModels(group))
      await countForKey(request, reply, { holder: request.key, keyLimits });
  };
  // A promise would cost every request of a Conch without keys.
  return (request: FastifyRequest, reply: FastifyReply): Promise<undefined> | undefined =>
    keys.isLocked || restrictedApis.length > 0 ? admit(request, reply) : undefined;
}

/** Refuses routes without a group, which would be open to all. */
export function requireGroups(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.endpoint?.group === undefined) throw new Error(`${url} belongs to no endpoint.`);
  });
}

/** Whether requests to this group count towards the limits of their key. */
export function runsModels(group: RestrictedGroup | undefined): boolean {
  return group === 'inference' || group === 'embedding';
}

/** Counts a request for its key until its answer is sent; the tokens that it took are charged then. */
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
    return pass.reserve(estimate.prompt + estimate.answers);
  };
  request.leaveKey = (watch = request.watch) => {
    const { prompt, completion } = watch.tokens();
    // A prompt that nobody counted is charged as it was guessed, once something was answered to it.
    pass.leave(prompt === 0 && completion > 0 ? guessed + completion : prompt + completion);
  };
  const { raw } = reply;
  if (raw.destroyed) request.leaveKey();
  else raw.once('close', () => request.leaveKey?.());
}

/** Refuses a model that the key of a request is not for. It says the same of models that do not exist. */
export function checkModel({ key }: FastifyRequest, model: string): void {
  if (mayUse(key, model)) return;
  throw new ApiError('model_not_allowed', `This key may not use the model ${JSON.stringify(model)}.`, {
    param: 'model',
  });
}

/** Refuses to change what all share for a key that is for some models alone. */
export function checkManages({ key }: FastifyRequest): void {
  if (!mayManage(key)) throw new ApiError('management_not_allowed', managementRefused);
}
