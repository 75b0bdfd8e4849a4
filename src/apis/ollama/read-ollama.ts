import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type RequestServices, readRequest, refuseUnknown } from '../../http/read-request.ts';
import { isJsonObject } from '../../json-object.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { untaggedName } from './model-entries.ts';
import { type Options, unknownOptions } from './options.ts';

/** A request of Ollama's clients: its model as it was named, and the body, which names it as it is served. */
export async function readOllama<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: RequestServices & { readonly models: ModelRegistry },
) {
  const model = nameServed(request, services.models);
  const { request: body, unknownFields } = await readRequest(schema, request, reply, services);
  const { options } = body as { readonly options?: Options | null };
  if (services.strictFields) refuseUnknown(unknownOptions(options));
  return { model, body, unknownFields };
}

/** Puts the name under which the model is served into the body; gives the one that was sent. */
export function nameServed(request: FastifyRequest, models: Pick<ModelRegistry, 'targets'>): string {
  const { body } = request;
  // Older clients send it as `name`; beside a model that is a field like any other.
  const { model, name: older, ...others } = isJsonObject(body) ? body : {};
  const name = model ?? older;
  if (typeof name !== 'string') return '';
  const untagged = untaggedName(name);
  const served = untagged === name || models.targets().has(name) ? name : untagged;
  const kept = model === undefined || older === undefined ? {} : { name: older };
  request.body = { ...others, ...kept, model: served };
  return name;
}
