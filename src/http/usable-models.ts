import type { FastifyRequest } from 'fastify';
import { mayUse } from '../keys/key-holder.ts';
import { listedModels } from '../models/listed-models.ts';
import type { LoadOnDemand } from '../models/load-on-demand.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { NamedModel } from '../models/served-model.ts';

/** What lists of models need. */
export interface ModelServices {
  readonly models: ModelRegistry;
  /** Left out: models are not loaded on demand. */
  readonly onDemand?: LoadOnDemand | undefined;
}

/** The models that a request may name now. */
export async function usableModels({ key }: FastifyRequest, { models }: ModelServices): Promise<NamedModel[]> {
  return (await listedModels(models)).filter(({ name }) => mayUse(key, name));
}

/** The models that a request would load on demand. */
export function loadableNames({ key }: FastifyRequest, { onDemand }: Pick<ModelServices, 'onDemand'>): string[] {
  return onDemand?.loadable().filter((name) => mayUse(key, name)) ?? [];
}
