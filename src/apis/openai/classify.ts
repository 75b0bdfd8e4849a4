import { classify } from '../../generate/classify.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { listOf, number, object, orNull, text, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import { ClassifyRequest } from '../../requests/classify-request.ts';
import { listHead, listUsage, sendList } from './list.ts';
import { headSchema } from './response-fields.ts';

/** POST /v1/classify and /classify, in vLLM's shape. */
export const classifyEndpoint: Endpoint<RowsServices> = {
  methods: ['POST'],
  paths: ['/v1/classify', '/classify'],
  group: 'embedding',
  operation: 'classify',
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'vectors',
      summary: 'Classifies texts.',
      request: { name: 'ClassifyRequest', schema: ClassifyRequest },
      response: {
        name: 'Classes',
        schema: object({
          ...headSchema('list'),
          data: listOf(object({ index: whole, label: text, probs: listOf(number), num_classes: whole })),
          usage: orNull(usage),
        }),
      },
      example: { model: 'sentiment', input: ['I like it.', 'I do not.'] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(ClassifyRequest, request, reply, services);
    const found = await classify(body, contextFor(request, services.rows), requestSignal(reply));
    reportIgnored(request, reply, ignoredFields);
    return sendList(reply, {
      head: listHead(found.id, body.model),
      rows: found.classes,
      entry: ({ label, scores }, index) => ({ index, label, probs: scores, num_classes: scores.length }),
      tail: { usage: listUsage(found.promptTokens) },
    });
  },
};
