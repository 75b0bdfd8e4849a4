import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../errors.ts';
import { countPrompt } from '../../../generate/count-prompt.ts';
import type { Draining } from '../../../http/draining.ts';
import { sendTexts } from '../../../http/events.ts';
import { contextFor, takeOver } from '../../../http/model-requests.ts';
import { readRequest, tellIgnored } from '../../../http/read-request.ts';
import { requestSignal } from '../../../http/request-signal.ts';
import { type GenerateServices, sendAnswer } from '../../../http/send-answer.ts';
import type { Link } from '../../../link.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { backgroundLine } from './background-line.ts';
import type { BackgroundRun } from './background-run.ts';
import { BackgroundRuns, withoutStale } from './background-runs.ts';
import { collectResponse } from './collect-response.ts';
import type { StoredItem } from './conversation.ts';
import { FollowQuery } from './follow-query.ts';
import { ItemPageQuery, itemPage } from './item-page.ts';
import { KeptWriter } from './kept-writer.ts';
import { renameFault } from './rename-fault.ts';
import { ResponseEvents } from './response-events.ts';
import { type BegunAnswer, beginAnswer, type ResponseJob, responseJob } from './response-job.ts';
import { isBeingMade, type KeeperOptions, ResponseKeeper } from './response-keeper.ts';
import type { ResponseObject } from './response-object.ts';
import { ResponsesRequest } from './responses-request.ts';
import { SharedRuns } from './shared-runs.ts';
import { toChat } from './to-chat.ts';

/** What the routes of responses need. */
export interface ResponseServices extends GenerateServices {
  readonly responses: KeeperOptions;
  /** The other processes in whose background responses may be made. */
  readonly link: Link;
  readonly draining: Draining;
}

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** POST /v1/responses, and the responses that are kept. */
export function responseRoutes(app: FastifyInstance, services: ResponseServices): void {
  const keeper = new ResponseKeeper(services.responses);
  const runs = new BackgroundRuns(services.draining);
  const shared = new SharedRuns(runs, services.link);
  const options = { config: { api: 'inference' } } as const;
  const keptOptions = { config: { api: 'inference', counts: false } } as const;

  app.post('/v1/responses', options, async (request, reply) => {
    const { request: body, unknownFields } = await readRequest(ResponsesRequest, request, reply, services);
    if (body.background && !keeper.keeps)
      throw new ApiError('unsupported_parameter', 'background: no responses are kept here (--store none).', {
        param: 'background',
      });
    const job = await responseJob(body, { owner: request.owner, keeper });
    if (!body.background) return answer(job, request, reply, { services, keeper, unknownFields });
    tellIgnored(request, reply, unknownFields);
    const watch = request.watch.goesOn();
    const context = { ...contextFor(request, services.generate), watch };
    context.findModel(body.model);
    let fault: ApiError | undefined;
    const onFault = (error: ApiError, id: string): void => {
      fault = error;
      logFault(request.log)(error, id);
    };
    const run = runs.add({ job: asItComes(job), context, keeper, onFault });
    watch.asks(body.model, body);
    watch.answers(run.response().id);
    await keeper.save(run.response(), job);
    // It goes on when this request is answered.
    const leave = takeOver(request, { watch, cancel: (reason) => void run.cancel(reason) });
    runs.begin(run, () => {
      leave();
      backgroundLine(request, watch, { response: run.response(), fault });
    });
    return body.stream ? follow(run, -1, reply) : run.response();
  });

  app.post(
    '/v1/responses/input_tokens',
    { config: { ...options.config, needsNoPlace: true } },
    async (request, reply) => {
      const { request: body, unknownFields } = await readRequest(ResponsesRequest, request, reply, services);
      const { items } = await responseJob(body, { owner: request.owner, keeper });
      const { request: translated, origins } = toChat(body, items);
      try {
        const { tokens, ignored } = await countPrompt(translated, services.generate, requestSignal(reply));
        tellIgnored(request, reply, [...unknownFields, ...ignored]);
        return { object: 'response.input_tokens', input_tokens: tokens };
      } catch (error) {
        throw renameFault(ApiError.from(error), origins);
      }
    },
  );

  app.get('/v1/responses/:id', keptOptions, async (request: WithId, reply) => {
    const { id } = request.params;
    const { stream, starting_after: after } = parseRequest(FollowQuery, request.query).request;
    const run = runs.running(request.owner, id);
    if (run && !stream) return run.response();
    const { response } = run ? { response: run.response() } : await keeper.find(request.owner, id);
    const kept = shown(response, services.generate.timeout);
    if (!stream) return isBeingMade(kept.status) ? ((await shared.now({ owner: request.owner, id })) ?? kept) : kept;
    const followed = runs.followable(request.owner, id);
    if (followed) return follow(followed, after ?? -1, reply);
    const signal = requestSignal(reply);
    const elsewhere = await shared.follow({ owner: request.owner, id }, { after: after ?? -1, signal });
    if (elsewhere) {
      await sendTexts(reply, elsewhere, signal);
      return reply;
    }
    const message = 'stream: only a response that is, or was just, made in the background here has events.';
    throw new ApiError('invalid_request', message, { param: 'stream' });
  });

  app.delete('/v1/responses/:id', keptOptions, async (request: WithId) => {
    const { id } = request.params;
    await shared.forget({ owner: request.owner, id });
    await keeper.delete(request.owner, id);
    return { id, object: 'response', deleted: true };
  });

  app.post('/v1/responses/:id/cancel', keptOptions, async (request: WithId) => {
    const { id } = request.params;
    const cancelled = await shared.cancel({ owner: request.owner, id });
    if (cancelled) return cancelled;
    const response = shown((await keeper.find(request.owner, id)).response, services.generate.timeout);
    if (!response.background)
      throw new ApiError('invalid_request', 'Only a response with background: true can be cancelled.');
    if (isBeingMade(response.status))
      throw new ApiError('invalid_request', 'This response is being made by another process; ask that one.');
    return response;
  });

  app.get('/v1/responses/:id/input_items', keptOptions, async (request: WithId) => {
    const { request: query } = parseRequest(ItemPageQuery, request.query);
    const { input } = await keeper.find(request.owner, request.params.id);
    return itemPage(input as readonly StoredItem[], query);
  });
}

interface AnswerPlace {
  readonly services: ResponseServices;
  readonly keeper: ResponseKeeper;
  readonly unknownFields: readonly string[];
}

/** Answers a request that waits for its response. */
function answer(
  job: ResponseJob,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, keeper, unknownFields }: AnswerPlace,
): Promise<unknown> {
  const isKept = job.request.store ?? true;
  const keep = (growing: Parameters<ResponseKeeper['keep']>[0]) =>
    isKept ? keeper.keep(growing, job) : Promise.resolve();
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
    whole: async ({ events }) => {
      const response = await collectResponse(events, job.options).catch((error: unknown) => {
        throw rename(ApiError.from(error));
      });
      await keep(response);
      return response.response();
    },
  });
}

async function follow(run: BackgroundRun, after: number, reply: FastifyReply): Promise<FastifyReply> {
  const signal = requestSignal(reply);
  await sendTexts(reply, run.follow(after, signal), signal);
  return reply;
}

/** The same job, answered as it comes, so that it can be looked at; not where an answer may be tried again. */
function asItComes(job: ResponseJob): ResponseJob {
  const { text, tools } = job.request;
  const mayBeTried = (text?.format && text.format.type !== 'text') || tools?.length;
  return mayBeTried ? job : { ...job, request: { ...job.request, stream: true } };
}

function logFault(log: FastifyRequest['log']): (fault: ApiError, id: string) => void {
  return (fault, id) => log.error({ id, code: fault.code, err: fault.cause ?? fault }, 'a background response failed');
}

/** How long a response may be made where nothing else bounds it. */
const longestRun = 24 * 3_600_000;

/** A kept response; one whose time is over without an end has failed. */
function shown(response: Readonly<Record<string, unknown>>, timeout: number | undefined): ResponseObject {
  const oldest = (Date.now() - (timeout ?? longestRun)) / 1000;
  return withoutStale(response as ResponseObject, oldest);
}
