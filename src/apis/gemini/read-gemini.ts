import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { splitMethod } from '../../http/custom-method.ts';
import { type RequestServices, readRequest } from '../../http/read-request.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { unknownField } from '../../requests/fields.ts';
import { oneSpelling } from './proto-json.ts';
import { nestedNames } from './requests.ts';

/** Reads a request whose model is in its path. */
export async function readGemini<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: RequestServices,
) {
  request.body = bodyWithModel(request.body, modelInPath(request));
  // Read first: readRequest releases the body.
  const unknown = unknownNested(request.body);
  const { request: body, ignoredFields } = await readRequest(schema, request, reply, services);
  if (services.strictFields && unknown[0] !== undefined) throw unknownField(unknown[0]);
  return { body, ignoredFields: [...ignoredFields, ...unknown] };
}

/** The name of the model in the path of a request, without the custom method. Served names may have slashes. */
export function modelInPath({ params, endpoint }: FastifyRequest): string {
  const { '*': rest } = params as { readonly '*': string };
  return endpoint?.customMethod === undefined ? rest : splitMethod(rest).rest;
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

/** Unknown fields of the nested objects, by their paths. */
function unknownNested(body: unknown): string[] {
  const { generationConfig, toolConfig, tools } = (isJsonObject(body) ? body : {}) as Record<string, unknown>;
  const thinking = isJsonObject(generationConfig) ? generationConfig['thinkingConfig'] : undefined;
  return [
    ...unknownIn(generationConfig, 'generationConfig', nestedNames.generationConfig),
    ...unknownIn(thinking, 'generationConfig.thinkingConfig', nestedNames.thinkingConfig),
    ...unknownIn(toolConfig, 'toolConfig', nestedNames.toolConfig),
    ...(Array.isArray(tools) ? tools.flatMap((tool, at) => unknownIn(tool, `tools[${at}]`, nestedNames.tool)) : []),
  ];
}

function unknownIn(value: unknown, path: string, known: ReadonlySet<string>): string[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((name) => (known.has(name) ? [] : [`${path}.${name}`]));
}
