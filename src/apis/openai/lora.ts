import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { Endpoint } from '../../http/api.ts';
import { checkManages, checkModel } from '../../http/guard.ts';
import { type AdapterServices, loadAdapter, unloadAdapter } from '../../models/adapter-loading.ts';
import { parseRequest } from '../../requests/fields.ts';

const name = z.string().min(1).max(256);

/** The body of POST /v1/load_lora_adapter. */
const LoadRequest = z.object({
  lora_name: name,
  lora_path: z.string().min(1).max(4096),
  model: name.nullish(),
  load_inplace: z.boolean().nullish(),
});

/** The body of POST /v1/unload_lora_adapter. */
const UnloadRequest = z.object({ lora_name: name, model: name.nullish() });

/** POST /v1/load_lora_adapter, in the shape of vLLM's own server. */
export const loadLoraEndpoint: Endpoint<AdapterServices> = {
  methods: ['POST'],
  paths: ['/v1/load_lora_adapter'],
  group: 'model-repository',
  operations: [
    {
      tag: 'adapters',
      summary: 'Loads a LoRA adapter from a folder below --lora-root.',
      request: { name: 'LoadRequest', schema: LoadRequest },
      response: 'text',
      example: { lora_name: 'pirate', lora_path: 'pirate' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { lora_name, lora_path, model, load_inplace } = parseRequest(LoadRequest, request.body).request;
    checkManages(request);
    checkOwnModel(request, model);
    const adapter = { name: lora_name, path: lora_path, model: model ?? undefined, replaces: load_inplace ?? false };
    await loadAdapter(adapter, services);
    return reply.type('text/plain').send(`Success: LoRA adapter '${lora_name}' added successfully.`);
  },
};

/** POST /v1/unload_lora_adapter, in the shape of vLLM's own server. */
export const unloadLoraEndpoint: Endpoint<AdapterServices> = {
  methods: ['POST'],
  paths: ['/v1/unload_lora_adapter'],
  group: 'model-repository',
  operations: [
    {
      tag: 'adapters',
      summary: 'Unloads a LoRA adapter.',
      request: { name: 'UnloadRequest', schema: UnloadRequest },
      response: 'text',
      example: { lora_name: 'pirate' },
    },
  ],
  handler: (services) => async (request, reply) => {
    const { lora_name, model } = parseRequest(UnloadRequest, request.body).request;
    checkManages(request);
    checkOwnModel(request, model);
    unloadAdapter({ name: lora_name, model: model ?? undefined }, services);
    return reply.type('text/plain').send(`Success: LoRA adapter '${lora_name}' removed successfully.`);
  },
};

/** With an API key that is limited to specific models, the request must name one of them. */
function checkOwnModel(request: FastifyRequest, model: string | null | undefined): void {
  if (model) checkModel(request, model);
  else if (request.key?.models)
    throw new ApiError('invalid_request', 'model: is required, because this API key is limited to specific models.', {
      param: 'model',
    });
}
