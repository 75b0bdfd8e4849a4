import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type RequestServices, readRequest } from '../../http/read-request.ts';
import { isJsonObject } from '../../json-object.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { servedName } from '../../models/tagged-names.ts';
import { unknownField } from '../../requests/fields.ts';
import { type Options, unknownOptions } from './options.ts';

/** Reads a request: `model` is the name that the client sent, `body.model` the served name. */
export async function readOllama<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: RequestServices & { readonly models: ModelRegistry },
) {
  const model = replaceModelName(request, services.models);
  const { request: body, ignoredFields } = await readRequest(schema, request, reply, services);
  const { options } = body as { readonly options?: Options | null };
  const [unknown] = unknownOptions(options);
  if (services.strictFields && unknown !== undefined) throw unknownField(unknown);
  return { model, body, ignoredFields };
}

/** Replaces the model name in the body by the served name; returns the name that was sent. */
export function replaceModelName(request: FastifyRequest, models: Pick<ModelRegistry, 'targets'>): string {
  const { body } = request;
  // Older clients send `name`. Next to `model`, it is a field like any other.
  const { model, name: legacyName, ...others } = isJsonObject(body) ? body : {};
  const name = model ?? legacyName;
  if (typeof name !== 'string') return '';
  const nameField = model === undefined || legacyName === undefined ? {} : { name: legacyName };
  request.body = { ...others, ...nameField, model: servedName(name, models) };
  return name;
}
