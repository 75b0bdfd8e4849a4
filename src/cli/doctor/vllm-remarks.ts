import { isConchModel } from '../../contracts/detect.ts';
import type { NamedModel } from '../../models/served-model.ts';
import { checksHealth, guideLibraryAdvice, healthCheckAdvice } from '../../vllm-arguments.ts';

/** The problems with the files of a vLLM model, and its missing safeguards with how to add them. */
export function vllmRemarks({ config, vllm }: Pick<NamedModel, 'config' | 'vllm'>): string[] {
  if (!config || (config.backend !== 'vllm' && !isConchModel(config))) return [];
  return [
    ...(vllm?.problems ?? []),
    ...(vllm?.namesGuideLibrary === false ? [guideLibraryAdvice] : []),
    ...(checksHealth(config.parameters) ? [] : [healthCheckAdvice]),
  ];
}
