import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { Endpoint, EndpointFacts, NamedSchema } from '../../../http/api.ts';
import { anything, constant, flag, listOf, object, orNull, text, whole } from '../../../http/openapi/schema-parts.ts';
import { requestSignal } from '../../../http/request-signal.ts';
import type { GenerateServices } from '../../../http/send-response.ts';
import { sendTexts, textsOf } from '../../../http/send-texts.ts';
import { parseRequest } from '../../../requests/fields.ts';
import type { BackgroundRun } from '../../../responses/background-run.ts';
import { isBeingMade } from '../../../responses/growing-response.ts';
import type { Responses } from '../../../responses/responses.ts';
import type { StoredItem } from './conversation.ts';
import { ItemPageQuery, itemPage } from './item-page.ts';
import type { ResponseObject } from './response-object.ts';

/** What the endpoints of responses need. */
export interface ResponseServices extends GenerateServices {
  readonly responses: Responses;
}

/** A response in the OpenAPI document. */
export const responseSchema: NamedSchema = {
  name: 'Response',
  schema: object({
    id: text,
    object: constant('response'),
    created_at: whole,
    status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
    model: text,
    output: listOf(object({ type: text, id: text })),
    usage: orNull(object({ input_tokens: whole, output_tokens: whole, total_tokens: whole })),
  }),
};

const tag = 'generation';
const shared = { group: 'inference', isUncounted: true } as const satisfies Partial<EndpointFacts>;

/** The query of GET /v1/responses/{id}. */
const FollowQuery = z.object({
  stream: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
  /** Accepted and ignored: all data is always returned. */
  include: z.unknown().optional(),
  include_obfuscation: z.unknown().optional(),
});

/** GET /v1/responses/{id}: a stored or running response, or its events. */
export const storedEndpoint: Endpoint<ResponseServices> = {
  ...shared,
  methods: ['GET'],
  paths: ['/v1/responses/:id'],
  operations: [
    {
      tag,
      summary: 'Returns a stored response.',
      query: FollowQuery,
      response: responseSchema,
      streams: 'events',
    },
  ],
  handler: (services) => async (request, reply) => {
    const target = targetOf(request);
    const { owner, id } = target;
    const { keeper, runs, shared: elsewhere } = services.responses;
    const { stream, starting_after: after = -1 } = parseRequest(FollowQuery, request.query).request;
    const run = runs.running(owner, id);
    if (run && !stream) return run.response();
    const { response } = run ? { response: run.response() } : await keeper.find(owner, id);
    const stored = withoutStale(response as ResponseObject, services.generate.timeout);
    if (!stream) return isBeingMade(stored.status) ? ((await elsewhere.now(target)) ?? stored) : stored;
    const followed = runs.followable(owner, id);
    if (followed) return followRun(followed, after, reply);
    const signal = requestSignal(reply);
    const events = await elsewhere.follow(target, { after, signal, lost: lostEvent });
    if (events) {
      await sendTexts(reply, textsOf(events), signal);
      return reply;
    }
    const message = 'stream: only background responses that are running or ended recently can be streamed.';
    throw new ApiError('invalid_request', message, { param: 'stream' });
  },
};

/** DELETE /v1/responses/{id}. */
export const deleteEndpoint: Endpoint<ResponseServices> = {
  ...shared,
  methods: ['DELETE'],
  paths: ['/v1/responses/:id'],
  operations: [
    {
      tag,
      summary: 'Deletes a stored response.',
      response: {
        name: 'DeletedResponse',
        schema: object({ id: text, object: constant('response'), deleted: constant(true) }),
      },
    },
  ],
  handler: (services) => async (request) => {
    const target = targetOf(request);
    const { keeper, shared: elsewhere } = services.responses;
    await elsewhere.forget(target);
    await keeper.delete(target.owner, target.id);
    return { id: target.id, object: 'response', deleted: true };
  },
};

/** POST /v1/responses/{id}/cancel. */
export const cancelEndpoint: Endpoint<ResponseServices> = {
  ...shared,
  methods: ['POST'],
  paths: ['/v1/responses/:id/cancel'],
  operations: [{ tag, summary: 'Cancels a background response.', response: responseSchema }],
  handler: (services) => async (request) => {
    const target = targetOf(request);
    const { keeper, shared: elsewhere } = services.responses;
    const cancelled = await elsewhere.cancel(target);
    if (cancelled) return cancelled;
    const { response: found } = await keeper.find(target.owner, target.id);
    const response = withoutStale(found as ResponseObject, services.generate.timeout);
    if (!response.background)
      throw new ApiError('invalid_request', 'Only responses created with background: true can be cancelled.');
    if (isBeingMade(response.status))
      throw new ApiError('invalid_request', 'This response is running in another Conch process. Cancel it there.');
    return response;
  },
};

/** GET /v1/responses/{id}/input_items. */
export const inputItemsEndpoint: Endpoint<ResponseServices> = {
  ...shared,
  methods: ['GET'],
  paths: ['/v1/responses/:id/input_items'],
  operations: [
    {
      tag,
      summary: 'Lists the input items of a response.',
      query: ItemPageQuery,
      response: {
        name: 'ItemPage',
        schema: object({
          object: constant('list'),
          data: listOf(anything),
          first_id: orNull(text),
          last_id: orNull(text),
          has_more: flag,
        }),
      },
    },
  ],
  handler: (services) => async (request) => {
    const { owner, id } = targetOf(request);
    const { request: query } = parseRequest(ItemPageQuery, request.query);
    const { input } = await services.responses.keeper.find(owner, id);
    return itemPage(input as readonly StoredItem[], query);
  },
};

/** The id of the response that a request is for, and its owner. */
function targetOf({ owner, params }: FastifyRequest) {
  return { owner, id: (params as { readonly id: string }).id };
}

/** Streams the events of a response after a sequence number. */
export async function followRun(run: BackgroundRun, after: number, reply: FastifyReply): Promise<FastifyReply> {
  await sendTexts(reply, (sink) => run.follow(after, sink), requestSignal(reply));
  return reply;
}

/** The event that reports that the connection to a running response was lost. */
function lostEvent(number: number, message: string): string {
  const event = { type: 'error', code: 'server_error', message, param: null, sequence_number: number };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Maximum duration of a background response without a timeout, in milliseconds. */
const longestRun = 24 * 3_600_000;

/** A response that was stored as running, and did not end in time, has failed. */
function withoutStale(response: ResponseObject, timeout = longestRun): ResponseObject {
  const oldest = (Date.now() - timeout) / 1000;
  if (!isBeingMade(response.status) || response.created_at >= oldest) return response;
  const error = { code: 'server_error', message: 'The server stopped before the response was complete.' };
  return { ...response, status: 'failed', error };
}
