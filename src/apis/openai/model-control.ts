import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { checkManages, checkModel } from '../../http/guard.ts';
import { restOfPath } from '../../http/model-path.ts';
import { constant, object, text } from '../../http/openapi/schema-parts.ts';
import { ProgressEvents } from '../../http/progress-events.ts';
import { listedModel } from '../../models/listed-models.ts';
import type { ModelControl } from '../../models/model-control.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { servedName } from '../../models/tagged-names.ts';
import { describeModel, describeName, modelPaths, modelSchema } from './models.ts';

/** What loading and unloading need. */
export interface ControlServices {
  readonly models: ModelRegistry;
  readonly control: ModelControl;
}

/**
 * POST /v1/models/{model}/load and /unload: responds at the end, or reports each step as a server-sent event. The POST
 * to a model itself describes it.
 */
export const modelControlEndpoint: Endpoint<ControlServices> = {
  methods: ['POST'],
  paths: modelPaths,
  group: 'model-repository',
  operations: [
    { tag: 'models', summary: 'Describes a model.', response: modelSchema },
    { tag: 'models', summary: 'Loads a model.', suffix: '/load', response: modelSchema, streams: 'events' },
    {
      tag: 'models',
      summary: 'Unloads a model.',
      suffix: '/unload',
      response: { name: 'Unloaded', schema: object({ status: constant('success'), model: text }) },
      streams: 'events',
    },
  ],
  handler: (services) => async (request, reply) => {
    const rest = restOfPath(request);
    const { named, order } = /^(?<named>.+)\/(?<order>load|unload)\/?$/.exec(rest)?.groups ?? {};
    const model = servedName(named ?? rest, services.models);
    checkModel(request, model);
    if (order === undefined) return describeModel(await listedModel(services.models, model));
    checkManages(request);
    request.model = model;
    return change(services, { model, order: order as Order }, request, reply);
  },
};

type Order = 'load' | 'unload';

async function change(
  { models, control }: ControlServices,
  { model, order }: { readonly model: string; readonly order: Order },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const events = wantsEvents(request) ? new ProgressEvents(reply) : undefined;
  try {
    // Continues after the client disconnects: servers cannot cancel a load or unload.
    const root = await control[order](model, (state) => events?.write({ model, ...state }));
    const result = order === 'load' ? await loadedModel(models, model, root) : { status: 'success', model };
    if (!events) return result;
    events.end(result);
  } catch (error) {
    if (!events?.hasStarted) throw error;
    const apiError = ApiError.from(error);
    request.error = apiError;
    events.fail(apiError);
  }
  return reply;
}

function loadedModel(models: ModelRegistry, name: string, root: string): unknown {
  return models.isOffered(root) ? describeModel(models.find(name)) : describeName(models, name, 'not offered');
}

function wantsEvents({ query, headers }: FastifyRequest): boolean {
  const { stream } = query as { readonly stream?: string };
  if (stream !== undefined && stream !== 'true' && stream !== 'false')
    throw new ApiError('invalid_request', 'stream: must be true or false.', { param: 'stream' });
  if (stream !== undefined) return stream === 'true';
  return headers.accept?.includes('text/event-stream') ?? false;
}
