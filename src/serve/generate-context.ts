import type { CommandInput } from '../config/load.ts';
import type { GenerateContext } from '../generate/generated-response.ts';
import type { RowsContext } from '../generate/rows.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { imageSettings } from './part-settings.ts';

/** What the pipeline needs from the settings and the models. */
export function generateContext(
  settings: CommandInput['settings'],
  registry: Pick<ModelRegistry, 'findForRequest'>,
  { guides, coalescing }: Required<Pick<GenerateContext, 'guides' | 'coalescing'>>,
): Omit<GenerateContext, 'watch'> {
  return {
    findModel: (name) => registry.findForRequest(name),
    timeout: timeoutOf(settings),
    retries: settings.retries,
    structuredRetries: settings.structuredRetries,
    strictFields: settings.strictFields,
    images: imageSettings(settings),
    guides,
    coalescing,
  };
}

/** The same for embeddings and scores. */
export function rowsContext(
  settings: CommandInput['settings'],
  registry: Pick<ModelRegistry, 'find'>,
): Omit<RowsContext, 'watch'> {
  return { findModel: (name) => registry.find(name), timeout: timeoutOf(settings) };
}

function timeoutOf({ requestTimeout }: CommandInput['settings']): number | undefined {
  return requestTimeout === 0 ? undefined : requestTimeout;
}
