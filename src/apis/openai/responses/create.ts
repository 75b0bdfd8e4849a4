import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFold } from '../../../contracts/events.ts';
import { ApiError } from '../../../errors.ts';
import { runInto } from '../../../generate/run-into.ts';
import type { Endpoint } from '../../../http/api.ts';
import { contextFor, takeOver } from '../../../http/model-requests.ts';
import { logIgnored, readRequest, reportIgnored } from '../../../http/read-request.ts';
import { countChoices, countItems, countStop } from '../../../http/request-limits.ts';
import { requestSignal } from '../../../http/request-signal.ts';
import { sendResponse } from '../../../http/send-response.ts';
import { sendTexts, textsOf } from '../../../http/send-texts.ts';
import { estimateWith } from '../../../http/token-estimate.ts';
import type { RequestRecord } from '../../../request-watch.ts';
import type { BackgroundWork, StorableResponse } from '../../../responses/growing-response.ts';
import { collectResponse } from './collect-response.ts';
import { countAllTools } from './count-tools.ts';
import { ResponseEvents } from './response-events.ts';
import { expectedIgnored, type ResponseJob, responseJob, type StartedResponse, startResponse } from './response-job.ts';
import { ResponsesRequest } from './responses-request.ts';
import { followRun, type ResponseServices, responseSchema } from './stored.ts';
import { StoringWriter } from './storing-writer.ts';

/** POST /v1/responses. */
export const responsesEndpoint: Endpoint<ResponseServices> = {
  methods: ['POST'],
  paths: ['/v1/responses'],
  group: 'inference',
  operation: 'chat',
  limits: [countItems, countAllTools, countStop, countChoices],
  estimate: estimateWith((fields) => fields['max_output_tokens']),
  operations: [
    {
      tag: 'generation',
      summary: 'Creates a response, and stores it unless store is false.',
      request: { name: 'ResponsesRequest', schema: ResponsesRequest },
      response: responseSchema,
      streams: 'events',
      example: { model: 'llama', input: 'Why is the sky blue?' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { keeper } = services.responses;
    const { request: body, ignoredFields } = await readRequest(ResponsesRequest, request, reply, services);
    if (body.background && !keeper.keeps)
      throw new ApiError(
        'unsupported_parameter',
        'background: not supported, because this server stores no responses (--store none).',
        {
          param: 'background',
        },
      );
    const job = await responseJob(body, { owner: request.owner, keeper });
    return (body.background ? respondInBackground : respond)(job, reply, { services, ignoredFields });
  },
};

interface ResponseContext {
  readonly services: ResponseServices;
  readonly ignoredFields: readonly string[];
}

/** Handles a request that waits for its response. */
async function respond(
  job: ResponseJob,
  reply: FastifyReply,
  { services, ignoredFields }: ResponseContext,
): Promise<unknown> {
  const { request } = reply;
  const { keeper } = services.responses;
  const isStored = job.request.store ?? true;
  const store = (growing: StorableResponse) => (isStored ? keeper.keep(growing, job) : Promise.resolve());
  let rename: StartedResponse['rename'] = (error) => error;
  let hasStarted = false;
  const writerOf = (): StoringWriter => {
    const events = new ResponseEvents(job.options);
    return new StoringWriter({ events, store: () => store(events), rename });
  };
  try {
    return await sendResponse(request, reply, {
      ignoredFields,
      idOf: () => job.options.head.id,
      begin: async (signal) => {
        const started = await startResponse(job, contextFor(request, services.generate), signal);
        ({ rename } = started);
        hasStarted = true;
        return started.response;
      },
      writer: writerOf,
      whole: async ({ generation }) => {
        const response = await collectResponse(generation, job.options);
        await store(response);
        return response.response();
      },
    });
  } catch (error) {
    const failure = rename(ApiError.from(error));
    if (!job.request.stream || failure.code !== 'context_length_exceeded') throw failure;
    rename = (renamed) => renamed;
    if (!hasStarted) reportIgnored(request, reply, ignoredFields);
    return sendFailed(job, reply, { failure, writer: writerOf() });
  }
}

interface FailedStream {
  readonly failure: ApiError;
  readonly writer: StoringWriter;
}

/** Streams a response that has failed. Agents read this code inside the stream only, and then shorten their input. */
async function sendFailed(job: ResponseJob, reply: FastifyReply, { failure, writer }: FailedStream) {
  const { request } = reply;
  request.watch.setResponseId(job.options.head.id);
  request.error = failure;
  const texts = async function* (): AsyncGenerator<string> {
    yield writer.begin([]);
    yield await writer.fail(failure);
  };
  await sendTexts(reply, textsOf(texts()), requestSignal(reply));
  return reply;
}

/** Responds at once, and generates the response in the background. */
async function respondInBackground(
  job: ResponseJob,
  reply: FastifyReply,
  { services, ignoredFields }: ResponseContext,
): Promise<unknown> {
  const { request } = reply;
  const { keeper, runs } = services.responses;
  const { model, stream } = job.request;
  const watch = request.watch.continuation();
  const context = { ...contextFor(request, services.generate), watch };
  context.findModel(model);
  const streamed = asStream(job);
  const reported = [...ignoredFields, ...(await expectedIgnored(streamed, context))];
  reportIgnored(request, reply, reported);
  let failure: ApiError | undefined;
  const onError = (error: ApiError, id: string): void => {
    failure = error;
    request.log.error({ id, code: error.code, err: error.cause ?? error }, 'a background response failed');
  };
  const growing = new ResponseEvents(job.options);
  const work: BackgroundWork = {
    owner: job.owner,
    input: job.input,
    growing,
    begin: async (signal) => {
      const { response: started, rename } = await startResponse(streamed, context, signal);
      const others = started.ignored.filter((field) => !reported.includes(field));
      logIgnored(request, others);
      const fold = (write: (text: string) => void): EventFold => ({
        text: (choice, text, tokens, logprobs) => write(growing.delta(choice, text, tokens, logprobs)),
        event: (event) => write(growing.write(event)),
      });
      return { run: (write) => runInto(started.generation, fold(write)), rename };
    },
  };
  const run = runs.add({ work, keeper, onError });
  watch.setRequest(model, job.request);
  watch.setResponseId(run.response().id);
  await keeper.save(run.response(), job);
  // The response continues after this request has ended.
  const release = takeOver(request, { watch, cancel: (reason) => void run.cancel(reason) });
  runs.begin(run, () => {
    release();
    logEnd(request, watch, { response: run.response(), failure });
  });
  return stream ? followRun(run, -1, reply) : run.response();
}

/** The same job, streamed, so that clients can follow it. Not if the generation may be retried. */
function asStream(job: ResponseJob): ResponseJob {
  const { text } = job.request;
  const mayRetry = (text?.format && text.format.type !== 'text') || job.tools.size > 0;
  return mayRetry ? job : { ...job, request: { ...job.request, stream: true } };
}

interface BackgroundResult {
  readonly response: ReturnType<StorableResponse['response']>;
  readonly failure: ApiError | undefined;
}

/** Logs the end of a background response. The log line of its request was written earlier. */
function logEnd(request: FastifyRequest, watch: RequestRecord, { response, failure }: BackgroundResult): void {
  const { id, status } = response;
  const hasDisconnected = status === 'cancelled';
  const code = hasDisconnected ? 'client_closed_request' : failure?.code;
  const measured = watch.end({
    status: hasDisconnected ? 499 : (failure?.status ?? 200),
    code,
    hasDisconnected,
    key: request.key?.name,
  });
  request.log.info({ id, outcome: status, model: request.model, ...measured }, 'background response');
}
