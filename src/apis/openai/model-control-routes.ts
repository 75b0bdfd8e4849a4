import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { checkManages, checkModel } from '../../http/guard.ts';
import { ProgressEvents } from '../../http/progress-events.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelControl } from '../../models/model-control.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { describeModel, describeName } from './models-routes.ts';

/** What loading and unloading need. */
export interface ControlServices {
  readonly models: ModelRegistry;
  readonly control: ModelControl;
}

type ModelRequest = FastifyRequest<{ Params: { '*': string }; Querystring: { stream?: string } }>;

/** POST /v1/models/{model}/load and /unload: answered when it is done, or told step by step as server-sent events. */
export function modelControlRoutes(app: FastifyInstance, services: ControlServices): void {
  const options = { config: { api: 'model-repository' } } as const;
  // Names may hold slashes, so the rest of the path is the name and the order.
  for (const path of ['/v1/models', '/models'])
    app.post(`${path}/*`, options, async (request: ModelRequest, reply) => {
      const { model, order } = /^(?<model>.+)\/(?<order>load|unload)\/?$/.exec(request.params['*'])?.groups ?? {};
      checkModel(request, model ?? request.params['*']);
      if (model === undefined) return describeModel(await listedModel(services.models, request.params['*']));
      checkManages(request);
      request.model = model;
      return change(services, { model, order: order as Order }, request, reply);
    });
}

type Order = 'load' | 'unload';

async function change(
  { models, control }: ControlServices,
  { model, order }: { readonly model: string; readonly order: Order },
  request: ModelRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const events = wantsEvents(request) ? new ProgressEvents(reply) : undefined;
  try {
    // A client that leaves does not stop it: servers do not take an order back.
    const root = await control[order](model, (state) => events?.write({ model, ...state }));
    const answer = order === 'load' ? await loaded(models, model, root) : { status: 'success', model };
    if (!events) return answer;
    events.end(answer);
  } catch (error) {
    if (!events?.isBegun) throw error;
    const fault = ApiError.from(error);
    request.fault = fault;
    events.fail(fault);
  }
  return reply;
}

function loaded(models: ModelRegistry, name: string, root: string): unknown {
  return models.isOffered(root) ? describeModel(models.find(name)) : describeName(models, name, 'not offered');
}

function wantsEvents({ query, headers }: ModelRequest): boolean {
  const { stream } = query;
  if (stream !== undefined && stream !== 'true' && stream !== 'false')
    throw new ApiError('invalid_request', 'stream: must be true or false.', { param: 'stream' });
  if (stream !== undefined) return stream === 'true';
  return headers.accept?.includes('text/event-stream') ?? false;
}
