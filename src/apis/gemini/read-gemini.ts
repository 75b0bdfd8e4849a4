import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { restOfPath } from '../../http/model-path.ts';
import { type RequestServices, readRequest } from '../../http/read-request.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { oneSpelling } from './proto-json.ts';

/** Reads a request whose model is in its path. */
export async function readGemini<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: RequestServices,
) {
  request.body = bodyWithModel(request.body, restOfPath(request));
  const { request: body, ignoredFields } = await readRequest(schema, request, reply, services);
  return { body, ignoredFields };
}

function bodyWithModel(body: unknown, model: string): unknown {
  const spelled = oneSpelling(body);
  if (!isJsonObject(spelled)) return spelled;
  // `countTokens` takes the contents, or a whole request.
  const { generateContentRequest: whole, ...fields } = spelled;
  const all: JsonObject = isJsonObject(whole) ? { ...whole, ...fields } : spelled;
  checkName(all['model'], model, 'model');
  const { requests } = all;
  if (Array.isArray(requests))
    requests.forEach((each: unknown, at) => {
      if (isJsonObject(each)) checkName(each['model'], model, `requests[${at}].model`);
    });
  return { ...all, model };
}

/** A body may repeat the model of the path. */
function checkName(name: unknown, model: string, param: string): void {
  if (name === undefined || name === model || name === `models/${model}`) return;
  const message = `${param}: must be ${JSON.stringify(`models/${model}`)}, the model in the path. Leave it out.`;
  throw new ApiError('invalid_request', message, { param });
}
