import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { checkManages, checkModel } from '../../http/guard.ts';
import { type AdapterServices, loadAdapter, unloadAdapter } from '../../models/adapter-loading.ts';
import { parseRequest } from '../../requests/fields.ts';

const name = z.string().min(1).max(256);

/** The body of POST /v1/load_lora_adapter. */
export const LoadRequest = z.object({
  lora_name: name,
  lora_path: z.string().min(1).max(4096),
  model: name.nullish(),
  load_inplace: z.boolean().nullish(),
});

/** The body of POST /v1/unload_lora_adapter. */
export const UnloadRequest = z.object({ lora_name: name, model: name.nullish() });

/** POST /v1/load_lora_adapter and /v1/unload_lora_adapter, in the shape of vLLM's own server. */
export function loraRoutes(app: FastifyInstance, services: AdapterServices): void {
  const options = { config: { api: 'model-repository' } } as const;
  app.post('/v1/load_lora_adapter', options, async (request, reply) => {
    const { lora_name, lora_path, model, load_inplace } = parseRequest(LoadRequest, request.body).request;
    checkManages(request);
    checkOwnModel(request, model);
    const adapter = { name: lora_name, path: lora_path, model: model ?? undefined, replaces: load_inplace ?? false };
    await loadAdapter(adapter, services);
    return reply.type('text/plain').send(`Success: LoRA adapter '${lora_name}' added successfully.`);
  });
  app.post('/v1/unload_lora_adapter', options, async (request, reply) => {
    const { lora_name, model } = parseRequest(UnloadRequest, request.body).request;
    checkManages(request);
    checkOwnModel(request, model);
    unloadAdapter({ name: lora_name, model: model ?? undefined }, services);
    return reply.type('text/plain').send(`Success: LoRA adapter '${lora_name}' removed successfully.`);
  });
}

/** A key for some models alone must say which one it means. */
function checkOwnModel(request: FastifyRequest, model: string | null | undefined): void {
  if (model) checkModel(request, model);
  else if (request.key?.models)
    throw new ApiError('invalid_request', 'model: this key is for some models alone; name one.', { param: 'model' });
}
