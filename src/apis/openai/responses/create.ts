import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFold } from '../../../contracts/events.ts';
import { ApiError } from '../../../errors.ts';
import { runInto } from '../../../generate/run-into.ts';
import type { Endpoint } from '../../../http/api.ts';
import { contextFor, takeOver } from '../../../http/model-requests.ts';
import { readRequest, tellIgnored } from '../../../http/read-request.ts';
import { countChoices, countItems, countStop, countTools } from '../../../http/request-limits.ts';
import { sendAnswer } from '../../../http/send-answer.ts';
import { estimateWith } from '../../../http/token-estimate.ts';
import type { RequestRecord } from '../../../request-watch.ts';
import type { BackgroundWork, StorableResponse } from '../../../responses/growing-response.ts';
import { collectResponse } from './collect-response.ts';
import { KeptWriter } from './kept-writer.ts';
import { ResponseEvents } from './response-events.ts';
import { type BegunAnswer, beginAnswer, type ResponseJob, responseJob } from './response-job.ts';
import { ResponsesRequest } from './responses-request.ts';
import { followRun, type ResponseServices, responseSchema } from './stored.ts';

/** POST /v1/responses. */
export const responsesEndpoint: Endpoint<ResponseServices> = {
  methods: ['POST'],
  paths: ['/v1/responses'],
  group: 'inference',
  operation: 'chat',
  limits: [countItems, countTools, countStop, countChoices],
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
    const { request: body, unknownFields } = await readRequest(ResponsesRequest, request, reply, services);
    if (body.background && !keeper.keeps)
      throw new ApiError(
        'unsupported_parameter',
        'background: not supported, because this server stores no responses (--store none).',
        {
          param: 'background',
        },
      );
    const job = await responseJob(body, { owner: request.owner, keeper });
    if (!body.background) return answer(job, reply, { services, unknownFields });
    tellIgnored(request, reply, unknownFields);
    return answerLater(job, reply, services);
  },
};

interface AnswerPlace {
  readonly services: ResponseServices;
  readonly unknownFields: readonly string[];
}

/** Handles a request that waits for its response. */
function answer(job: ResponseJob, reply: FastifyReply, { services, unknownFields }: AnswerPlace): Promise<unknown> {
  const { request } = reply;
  const { keeper } = services.responses;
  const isKept = job.request.store ?? true;
  const keep = (growing: StorableResponse) => (isKept ? keeper.keep(growing, job) : Promise.resolve());
  let rename: BegunAnswer['rename'] = (fault) => fault;
  return sendAnswer(request, reply, {
    unknownFields,
    idOf: () => job.options.head.id,
    begin: async (signal) => {
      const begun = await beginAnswer(job, contextFor(request, services.generate), signal);
      ({ rename } = begun);
      return begun.answer;
    },
    writer: () => {
      const events = new ResponseEvents(job.options);
      return new KeptWriter({ events, keep: () => keep(events), rename });
    },
    whole: async ({ generation }) => {
      const response = await collectResponse(generation, job.options).catch((error: unknown) => {
        throw rename(ApiError.from(error));
      });
      await keep(response);
      return response.response();
    },
  });
}

/** Responds at once, and generates the response in the background. */
async function answerLater(job: ResponseJob, reply: FastifyReply, services: ResponseServices): Promise<unknown> {
  const { request } = reply;
  const { keeper, runs } = services.responses;
  const { model, stream } = job.request;
  const watch = request.watch.goesOn();
  const context = { ...contextFor(request, services.generate), watch };
  context.findModel(model);
  let fault: ApiError | undefined;
  const onFault = (error: ApiError, id: string): void => {
    fault = error;
    request.log.error({ id, code: error.code, err: error.cause ?? error }, 'a background response failed');
  };
  const growing = new ResponseEvents(job.options);
  const work: BackgroundWork = {
    owner: job.owner,
    input: job.input,
    growing,
    begin: async (signal) => {
      const { answer: begun, rename } = await beginAnswer(asItComes(job), context, signal);
      const fold = (write: (text: string) => void): EventFold => ({
        text: (choice, text, tokens, logprobs) => write(growing.delta(choice, text, tokens, logprobs)),
        event: (event) => write(growing.write(event)),
      });
      return { run: (write) => runInto(begun.generation, fold(write)), rename };
    },
  };
  const run = runs.add({ work, keeper, onFault });
  watch.asks(model, job.request);
  watch.answers(run.response().id);
  await keeper.save(run.response(), job);
  // The response continues after this request has ended.
  const leave = takeOver(request, { watch, cancel: (reason) => void run.cancel(reason) });
  runs.begin(run, () => {
    leave();
    logEnd(request, watch, { response: run.response(), fault });
  });
  return stream ? followRun(run, -1, reply) : run.response();
}

/** The same job, streamed, so that clients can follow it. Not if the generation may be retried. */
function asItComes(job: ResponseJob): ResponseJob {
  const { text, tools } = job.request;
  const mayBeTried = (text?.format && text.format.type !== 'text') || tools?.length;
  return mayBeTried ? job : { ...job, request: { ...job.request, stream: true } };
}

interface Ended {
  readonly response: ReturnType<StorableResponse['response']>;
  readonly fault: ApiError | undefined;
}

/** Logs the end of a background response. The log line of its request was written earlier. */
function logEnd(request: FastifyRequest, watch: RequestRecord, { response, fault }: Ended): void {
  const { id, status } = response;
  const hasLeft = status === 'cancelled';
  const code = hasLeft ? 'client_closed_request' : fault?.code;
  const measured = watch.end({ status: hasLeft ? 499 : (fault?.status ?? 200), code, hasLeft, key: request.key?.name });
  request.log.info({ id, outcome: status, model: request.model, ...measured }, 'background response');
}
