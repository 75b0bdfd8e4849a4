import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../json-object.ts';
import type { ModelGate } from '../models/model-gate.ts';
import { type ParsedRequest, parseRequest } from '../requests/fields.ts';
import { checkModel } from './guard.ts';
import { ignoredHeader, mostNamed } from './ignored-header.ts';
import { enterModel } from './model-requests.ts';
import { checkLimits, type RequestLimits } from './request-limits.ts';

/** What reading a request needs. It may change while Conch runs, so each request reads it again. */
export interface RequestServices {
  /** Whether requests with unknown fields, or with hints that have no effect, are rejected. */
  readonly strictFields: boolean;
  readonly limits: RequestLimits;
  /** Whether request bodies are logged. */
  readonly logPrompts: boolean;
  /** Admits requests to their models. */
  readonly gate: ModelGate;
}

/**
 * The checked body of a request that names a model. With `strictFields`, ignored fields are rejected. Only a valid
 * request enters the queue of its model, so nothing is loaded for an invalid one.
 */
export async function readRequest<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  { strictFields, limits, logPrompts, gate }: RequestServices,
): Promise<ParsedRequest<z.output<z.ZodObject<Shape>>>> {
  checkLimits(request.body, request.endpoint?.limits ?? [], limits);
  const parsed = withServedName(parseRequest(schema, request.body), gate);
  request.model = (parsed.request as { readonly model: string }).model;
  checkModel(request, request.model);
  if (strictFields && parsed.strictError) throw parsed.strictError;
  request.watch.setRequest(request.model, parsed.request);
  if (logPrompts) request.log.info({ prompt: promptText(request.body) }, 'prompt');
  const reserving = reserveTokens(request);
  if (reserving) await reserving;
  // Only the parsed request is needed. The body may be large, and the response may take long.
  request.body = undefined;
  await enterModel(request, reply, gate);
  return parsed;
}

/** Replaces the name of a model as Ollama lists it, with a tag, by the name that it is served under. */
function withServedName<Request>(parsed: ParsedRequest<Request>, gate: ModelGate): ParsedRequest<Request> {
  const { model } = parsed.request as { readonly model: string };
  const name = gate.servedName(model);
  return name === model ? parsed : { ...parsed, request: { ...parsed.request, model: name } };
}

/** Reserves the estimated tokens of a request; undefined if its key has no token limit. */
function reserveTokens(request: FastifyRequest): Promise<void> | undefined {
  const { key, body, endpoint, reserveTokens: reserve } = request;
  if (key?.tokensPerMinute === undefined || !endpoint?.estimate) return undefined;
  return reserve?.(endpoint.estimate(body as JsonObject));
}

/** Maximum of logged characters of a request. */
const longestPrompt = 65_536;

function promptText(body: unknown): string {
  const written = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
  return JSON.stringify(body, written).slice(0, longestPrompt);
}

/** With `strictFields`, rejects what the translation to a chat ignores. */
export function refuseIgnored({ strictFields }: Pick<RequestServices, 'strictFields'>, paths: readonly string[]): void {
  const [param] = paths;
  if (!strictFields || param === undefined) return;
  throw new ApiError('unsupported_parameter', `${param}: has no effect. Leave it out.`, { param });
}

/** Reports ignored fields to the client and in the log. */
export function reportIgnored(request: FastifyRequest, reply: FastifyReply, ignored: readonly string[]): void {
  if (ignored.length === 0) return;
  reply.header('x-conch-ignored', ignoredHeader(ignored));
  logIgnored(request, ignored);
}

/** Reports ignored fields in the log. */
export function logIgnored(request: FastifyRequest, ignored: readonly string[]): void {
  if (ignored.length > 0) request.log.warn({ ignored: ignored.slice(0, mostNamed) }, 'ignored request fields');
}
