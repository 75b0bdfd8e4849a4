import type { NamedModel } from '../../models/served-model.ts';
import { checksHealth, guideLibraryAdvice, healthCheckAdvice } from '../../vllm-arguments.ts';

/** What is wrong with the files of a vLLM model, and which of its safeguards are missing, with what to write. */
export function vllmRemarks({ config, vllm }: Pick<NamedModel, 'config' | 'vllm'>): string[] {
  if (config?.backend !== 'vllm') return [];
  return [
    ...(vllm?.problems ?? []),
    ...(vllm?.namesGuideLibrary === false ? [guideLibraryAdvice] : []),
    ...(checksHealth(config.parameters) ? [] : [healthCheckAdvice]),
  ];
}
