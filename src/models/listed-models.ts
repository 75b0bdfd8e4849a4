import { unknownAdapter } from '../contracts/unknown-adapter.ts';
import type { ModelRegistry } from './registry.ts';
import { generatesText, type NamedModel } from './served-model.ts';

/** Every model that requests can name, each followed by its adapters. */
export async function listedModels(models: ModelRegistry): Promise<NamedModel[]> {
  const listed = await Promise.all(
    models.list().map(async (model): Promise<NamedModel[]> => {
      if (!generatesText(model)) return [model];
      const names = (await model.adapters.names()) ?? [];
      return [model, ...names.flatMap((name) => models.withAdapter(model, name) ?? [])];
    }),
  );
  return listed.flat();
}

/** A model, or a model with an adapter; throws a 404 if it does not exist. */
export async function listedModel(models: ModelRegistry, name: string): Promise<NamedModel> {
  const known = models.list().find((model) => model.name === name);
  if (known) return known;
  const model = models.findForRequest(name);
  if (model.parent === undefined || model.loraName === undefined) return model;
  const names = await model.adapters.names();
  if (names && !names.includes(model.loraName)) throw unknownAdapter(model.loraName, names);
  return model;
}
