import type { CommandInput } from '../config/load.ts';
import type { GenerateContext } from '../generate/answer.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { imageSettings } from './image-settings.ts';

/** What the pipeline needs of the settings and the models. */
export function generateContext(
  settings: CommandInput['settings'],
  registry: Pick<ModelRegistry, 'findForRequest'>,
): GenerateContext {
  return {
    findModel: (name) => registry.findForRequest(name),
    timeout: settings.requestTimeout === 0 ? undefined : settings.requestTimeout,
    structuredRetries: settings.structuredRetries,
    images: imageSettings(settings),
  };
}
