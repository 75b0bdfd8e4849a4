import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../json-object.ts';
import type { ModelDoor } from '../models/model-door.ts';
import { type Parsed, parseRequest } from '../requests/fields.ts';
import { checkModel } from './guard.ts';
import { ignoredHeader, mostNamed } from './ignored-header.ts';
import { enterModel } from './model-requests.ts';
import { checkLimits, type RequestLimits } from './request-limits.ts';

/** What reading a request needs. It may change while Conch runs, so it is read anew for each request. */
export interface RequestServices {
  /** Whether a field that nobody knows fails the request. */
  readonly strictFields: boolean;
  readonly limits: RequestLimits;
  /** Whether what clients send is written to the log. */
  readonly logPrompts: boolean;
  /** Where requests come in to their models. */
  readonly door: ModelDoor;
}

/**
 * The body of a request that names a model, checked; a field that nobody knows fails it where that is wanted. The
 * request counts as one to that model from here on: nothing is loaded for one that is wrong.
 */
export async function readRequest<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  { strictFields, limits, logPrompts, door }: RequestServices,
): Promise<Parsed<z.output<z.ZodObject<Shape>>>> {
  checkLimits(request.body, request.endpoint?.limits ?? [], limits);
  const parsed = parseRequest(schema, request.body);
  request.model = (parsed.request as { readonly model: string }).model;
  checkModel(request, request.model);
  if (strictFields) refuseUnknown(parsed.unknownFields);
  request.watch.asks(request.model, parsed.request);
  if (logPrompts) request.log.info({ prompt: promptText(request.body) }, 'prompt');
  const reserving = reserveTokens(request);
  if (reserving) await reserving;
  // What is parsed is all that is needed; the rest may be large, and the answer may take long.
  request.body = undefined;
  await enterModel(request, reply, door);
  return parsed;
}

/** Fails a request that has fields which nobody knows. */
export function refuseUnknown([unknown]: readonly string[]): void {
  if (unknown === undefined) return;
  throw new ApiError('unknown_field', `${unknown}: no such field is known.`, { param: unknown });
}

/** Sets aside what a request may take of the tokens of its key; undefined where they are not limited. */
function reserveTokens(request: FastifyRequest): Promise<void> | undefined {
  const { key, body, endpoint, reserveTokens: reserve } = request;
  if (key?.tokensPerMinute === undefined || !endpoint?.estimate) return undefined;
  return reserve?.(endpoint.estimate(body as JsonObject));
}

/** The most characters of a request that are logged. */
const longestPrompt = 65_536;

function promptText(body: unknown): string {
  const written = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
  return JSON.stringify(body, written).slice(0, longestPrompt);
}

/** Names what had no effect, to the client and in the log. */
export function tellIgnored(request: FastifyRequest, reply: FastifyReply, ignored: readonly string[]): void {
  if (ignored.length === 0) return;
  reply.header('x-conch-ignored', ignoredHeader(ignored));
  request.log.warn({ ignored: ignored.slice(0, mostNamed) }, 'request fields without effect');
}
