import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { applyTemplate, detokenize, tokenize } from '../../generate/tokenize.ts';
import { parseRequest } from '../../openai/fields.ts';
import { tokenizeAnswerText } from '../../openai/tokenize-answer.ts';
import { ApplyTemplateRequest, DetokenizeRequest, TokenizeRequest } from '../../openai/tokenize-request.ts';
import { ignoredHeader, mostNamed } from '../ignored-header.ts';
import type { GenerateServices } from '../send-answer.ts';

const options = { config: { api: 'inference' } } as const;

/** POST /tokenize, /detokenize and /apply-template, and the same under /v1. */
export function tokenizeRoutes(app: FastifyInstance, services: GenerateServices): void {
  for (const prefix of ['', '/v1']) {
    app.post(`${prefix}/tokenize`, options, async (request, reply) => {
      const asked = read(TokenizeRequest, request, services);
      const { answer, ignored } = await tokenize(asked.body, services.generate);
      nameIgnored(request, reply, [...asked.unknownFields, ...ignored]);
      return reply.type('application/json; charset=utf-8').send(await tokenizeAnswerText(answer));
    });
    app.post(`${prefix}/detokenize`, options, async (request, reply) => {
      const asked = read(DetokenizeRequest, request, services);
      const prompt = await detokenize(asked.body, services.generate);
      nameIgnored(request, reply, asked.unknownFields);
      return { prompt };
    });
    app.post(`${prefix}/apply-template`, options, async (request, reply) => {
      const asked = read(ApplyTemplateRequest, request, services);
      const { prompt, ignored } = await applyTemplate(asked.body, services.generate);
      nameIgnored(request, reply, [...asked.unknownFields, ...ignored]);
      return { prompt };
    });
  }
}

function read<Shape extends z.ZodRawShape & { readonly model: z.ZodString }>(
  schema: z.ZodObject<Shape>,
  request: FastifyRequest,
  { strictFields }: GenerateServices,
) {
  const { request: body, unknownFields } = parseRequest(schema, request.body);
  request.model = (body as { readonly model: string }).model;
  const [unknown] = unknownFields;
  if (strictFields && unknown !== undefined)
    throw new ApiError('unknown_field', `${unknown}: no such field is known.`, { param: unknown });
  return { body, unknownFields };
}

function nameIgnored(request: FastifyRequest, reply: FastifyReply, ignored: readonly string[]): void {
  if (ignored.length === 0) return;
  reply.header('x-conch-ignored', ignoredHeader(ignored));
  request.log.warn({ ignored: ignored.slice(0, mostNamed) }, 'request fields without effect');
}
