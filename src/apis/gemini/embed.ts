import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { type Embeddings, embed } from '../../generate/embedding.ts';
import type { Endpoint, EndpointFacts } from '../../http/api.ts';
import { contextFor } from '../../http/model-requests.ts';
import { listOf, number, object } from '../../http/openapi/schema-parts.ts';
import { reportIgnored } from '../../http/read-request.ts';
import { requestSignal } from '../../http/request-signal.ts';
import type { RowsServices } from '../../http/send-response.ts';
import { estimatePrompt } from '../../http/token-estimate.ts';
import type { TextContent } from './content.ts';
import { modelPaths } from './paths.ts';
import { readGemini } from './read-gemini.ts';
import { BatchEmbedContentsRequest, EmbedContentRequest } from './requests.ts';

const shared = {
  methods: ['POST'],
  paths: modelPaths,
  group: 'embedding',
  operation: 'embeddings',
  takesKeyInQuery: true,
  estimate: estimatePrompt,
} as const satisfies Partial<EndpointFacts>;

const embedding = object({ values: listOf(number) });
const content = { parts: [{ text: 'a text' }] };

/** POST /v1beta/models/{model}:embedContent. */
export const embedContentEndpoint: Endpoint<RowsServices> = {
  ...shared,
  customMethod: 'embedContent',
  operations: [
    {
      tag: 'gemini',
      summary: 'Creates the embedding of a content (Gemini API).',
      request: { name: 'EmbedContentRequest', schema: EmbedContentRequest },
      response: { name: 'EmbedContentResponse', schema: object({ embedding }) },
      example: { model: 'minilm', content },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { body, ignoredFields } = await readGemini(EmbedContentRequest, request, reply, services);
    const { vectors, promptTokens } = await embedTexts(request, reply, {
      services,
      model: body.model,
      texts: [textOf(body.content)],
      dimensions: body.outputDimensionality,
      rename: (field) => (field === 'dimensions' ? 'outputDimensionality' : 'content'),
    });
    reportIgnored(request, reply, ignoredFields);
    return { embedding: { values: vectors.flatMap((vector) => Array.from(vector)) }, ...usageOf(promptTokens) };
  },
};

/** POST /v1beta/models/{model}:batchEmbedContents. */
export const batchEmbedContentsEndpoint: Endpoint<RowsServices> = {
  ...shared,
  customMethod: 'batchEmbedContents',
  operations: [
    {
      tag: 'gemini',
      summary: 'Creates the embeddings of several contents (Gemini API).',
      request: { name: 'BatchEmbedContentsRequest', schema: BatchEmbedContentsRequest },
      response: { name: 'BatchEmbedContentsResponse', schema: object({ embeddings: listOf(embedding) }) },
      example: { model: 'minilm', requests: [{ content }, { content }] },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { body, ignoredFields } = await readGemini(BatchEmbedContentsRequest, request, reply, services);
    const { requests, model } = body;
    const dimensions = requests[0]?.outputDimensionality;
    const other = requests.findIndex(({ outputDimensionality: each }) => each !== dimensions);
    if (other >= 0)
      throw invalid(`requests[${other}].outputDimensionality`, 'must be the same in all requests of a batch.');
    const result = await embedTexts(request, reply, {
      services,
      model,
      texts: requests.map(({ content: each }) => textOf(each)),
      dimensions,
      rename: (field) =>
        field === 'dimensions' ? 'requests[0].outputDimensionality' : `${field.replace('input', 'requests')}.content`,
    });
    reportIgnored(request, reply, ignoredFields);
    return reply.type('application/json; charset=utf-8').send(Readable.from(batchPieces(result)));
  },
};

interface EmbedOptions {
  readonly services: RowsServices;
  readonly model: string;
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
  /** The name in this API of a field in an error. */
  readonly rename: (field: string) => string;
}

async function embedTexts(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, model, texts, dimensions, rename }: EmbedOptions,
): Promise<Embeddings> {
  const empty = texts.indexOf('');
  if (empty >= 0) throw invalid(rename(`input[${empty}]`), 'must not be empty.');
  const embedRequest = { model, input: { items: texts, isList: true }, dimensions };
  try {
    return await embed(embedRequest, contextFor(request, services.rows), requestSignal(reply));
  } catch (error) {
    const apiError = ApiError.from(error);
    const isRenamed = apiError.param === 'dimensions' || apiError.param?.startsWith('input');
    throw isRenamed ? apiError.renamed(rename(apiError.param ?? '')) : apiError;
  }
}

/** A text for each content: its parts are one text. */
function textOf({ parts }: TextContent): string {
  return parts.map(({ text = '' }) => text).join('');
}

function usageOf(promptTokens: number | undefined) {
  return promptTokens === undefined ? {} : { usageMetadata: { promptTokenCount: promptTokens } };
}

/** The response as JSON, vector by vector: all of them in one string would take much more memory. */
function* batchPieces({ vectors, promptTokens }: Embeddings): Generator<string> {
  yield '{"embeddings":[';
  for (const [index, vector] of vectors.entries())
    yield `${index > 0 ? ',' : ''}${JSON.stringify({ values: Array.from(vector) })}`;
  yield `]${promptTokens === undefined ? '' : `,${JSON.stringify(usageOf(promptTokens)).slice(1, -1)}`}}`;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
