import { score } from '../../generate/score.ts';
import type { Endpoint } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { constant, listOf, number, object, orNull, usage, whole } from '../../http/openapi/schema-parts.ts';
import { readRequest, reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import { ScoreRequest, sidesOf } from '../../requests/score-request.ts';
import { listHead, listUsage, sendList } from './list.ts';
import { headSchema } from './response-fields.ts';

/** POST /v1/score and /score, in vLLM's shape. */
export const scoreEndpoint: Endpoint<RowsServices> = {
  methods: ['POST'],
  paths: ['/v1/score', '/score'],
  group: 'embedding',
  operation: 'score',
  estimate: estimatePrompt,
  operations: [
    {
      tag: 'vectors',
      summary: 'Scores pairs of texts.',
      request: { name: 'ScoreRequest', schema: ScoreRequest },
      response: {
        name: 'Scores',
        schema: object({
          ...headSchema('list'),
          data: listOf(object({ index: whole, object: constant('score'), score: number })),
          usage: orNull(usage),
        }),
      },
      example: { model: 'ranker', text_1: 'sky', text_2: ['The sky is blue.', 'Grass is green.'] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { request: body, ignoredFields } = await readRequest(ScoreRequest, request, reply, services);
    const context = contextFor(request, services.rows);
    const { id, results, promptTokens } = await score(body.model, sidesOf(body), context, requestSignal(reply));
    reportIgnored(request, reply, ignoredFields);
    return sendList(reply, {
      head: listHead(id, body.model),
      rows: results,
      entry: (value, index) => ({ index, object: 'score', score: value }),
      tail: { usage: listUsage(promptTokens) },
    });
  },
};
