import type { FastifyInstance, FastifyReply } from 'fastify';
import { applyTemplate, detokenize, tokenize } from '../../generate/tokenize.ts';
import { readRequest, tellIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { GenerateServices } from '../../http/send-answer.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { ApplyTemplateRequest, DetokenizeRequest, TokenizeRequest } from '../../requests/tokenize-request.ts';
import { tokenizeAnswerText } from './tokenize-answer.ts';

const options = { config: { api: 'inference', needsNoPlace: true } } as const;

/** What these routes need. */
interface TokenizeServices extends GenerateServices {
  readonly models: Pick<ModelRegistry, 'list'>;
}

/** POST /tokenize, /detokenize and /apply-template, and the same under /v1. */
export function tokenizeRoutes(app: FastifyInstance, services: TokenizeServices): void {
  for (const prefix of ['', '/v1']) {
    app.post(`${prefix}/tokenize`, options, async (request, reply) => {
      const asked = await readRequest(TokenizeRequest, request, reply, services);
      const { answer, ignored } = await tokenize(asked.request, contextOf(services, reply));
      tellIgnored(request, reply, [...asked.unknownFields, ...ignored]);
      return reply.type('application/json; charset=utf-8').send(await tokenizeAnswerText(answer));
    });
    app.post(`${prefix}/detokenize`, options, async (request, reply) => {
      const asked = await readRequest(DetokenizeRequest, request, reply, services);
      const prompt = await detokenize(asked.request, contextOf(services, reply));
      tellIgnored(request, reply, asked.unknownFields);
      return { prompt };
    });
    app.post(`${prefix}/apply-template`, options, async (request, reply) => {
      const asked = await readRequest(ApplyTemplateRequest, request, reply, services);
      const { prompt, ignored } = await applyTemplate(asked.request, contextOf(services, reply));
      tellIgnored(request, reply, [...asked.unknownFields, ...ignored]);
      return { prompt };
    });
  }
}

function contextOf({ generate, models }: TokenizeServices, reply: FastifyReply): Parameters<typeof tokenize>[1] {
  return {
    ...generate,
    signal: requestSignal(reply),
    findNamed: (name) => models.list().find((model) => model.name === name) ?? generate.findModel(name),
  };
}
