import type { ModelConfig } from '../kserve/messages.ts';
import type { GenerationContract } from './contract.ts';
import { vllmContract } from './vllm.ts';

/** The contract that a model speaks, or why there is none. */
export type Detection = { readonly contract: GenerationContract } | { readonly reason: string };

/** Finds the contract of a model by what its configuration declares; `forced` is the operator's word for it. */
export function detectContract(config: ModelConfig, forced?: GenerationContract['kind']): Detection {
  const missing = missingTensors(config);
  if (missing.length === 0) return { contract: vllmContract(config) };
  if (forced === 'vllm') return { reason: `it is set to the contract vllm, but has no ${missing.join(', no ')}` };
  return { reason: 'no contract fits its tensors' };
}

/** The texts without which a model does not speak as the vLLM backend does. */
function missingTensors(config: ModelConfig): string[] {
  const isText = (tensors: ModelConfig['input'], name: string): boolean =>
    tensors.some((tensor) => tensor.name === name && tensor.data_type === 'TYPE_STRING');
  return [
    ...['text_input', 'sampling_parameters']
      .filter((name) => !isText(config.input, name))
      .map((name) => `input ${name}`),
    ...['text_output'].filter((name) => !isText(config.output, name)).map((name) => `output ${name}`),
  ];
}
