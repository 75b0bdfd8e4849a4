import { ApiError } from '../../errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { checkModel } from '../../http/guard.ts';
import { object, text } from '../../http/openapi/schema-parts.ts';
import { type RequestServices, reportIgnored } from '../../http/read-request.ts';
import { loadableNames, type ModelServices } from '../../http/usable-models.ts';
import { listedModel } from '../../models/listed-models.ts';
import { parseRequest } from '../../requests/fields.ts';
import { replaceModelName } from './read-ollama.ts';
import { OllamaPullRequest } from './requests.ts';

/**
 * POST /api/pull. Clients pull a model before they use it, so that of a served model succeeds at once. Errors of a
 * stream are inside it, as Ollama sends them: clients show only those.
 */
export const pullEndpoint: Endpoint<ModelServices & RequestServices> = {
  methods: ['POST'],
  paths: ['/api/pull'],
  group: 'model-repository',
  takesForms: true,
  operations: [
    {
      tag: 'ollama',
      summary: 'Succeeds if the model is served (Ollama API). Downloads nothing.',
      request: { name: 'OllamaPullRequest', schema: OllamaPullRequest },
      response: { name: 'OllamaPullStatus', schema: object({ status: text }) },
      streams: 'lines',
      example: { model: 'llama' },
    },
  ],
  handler: (services) => async (request, reply) => {
    replaceModelName(request, services.models);
    const { request: pull, ignoredFields, strictError } = parseRequest(OllamaPullRequest, request.body);
    if (services.strictFields && strictError) throw strictError;
    checkModel(request, pull.model);
    reportIgnored(request, reply, ignoredFields);
    const isStreamed = pull.stream ?? true;
    if (isStreamed) reply.type('application/x-ndjson');
    try {
      if (!loadableNames(request, services).includes(pull.model)) await listedModel(services.models, pull.model);
    } catch (error) {
      const failure = pullError(ApiError.from(error));
      if (!isStreamed) throw failure;
      request.error = failure;
      return `${JSON.stringify({ error: failure.message })}\n`;
    }
    return isStreamed ? '{"status":"pulling manifest"}\n{"status":"success"}\n' : { status: 'success' };
  },
};

/** The error of a model that is not served, with what to do. */
function pullError(error: ApiError): ApiError {
  if (error.code !== 'model_not_found') return error;
  const advice =
    'Conch downloads no models: add it to the model repository of a Triton server, or start Conch with --model.';
  return new ApiError(error.code, `${error.message} ${advice}`, { param: 'model' });
}
