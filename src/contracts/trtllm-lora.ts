import { ApiError } from '../errors.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { AdapterFormat, GenerateRequest } from './contract.ts';
import type { DeclaredInputs } from './declared-inputs.ts';

const adapterInputs = ['lora_task_id', 'lora_weights', 'lora_config'] as const;

const weightTypes: Readonly<Record<string, AdapterFormat['datatype']>> = {
  TYPE_FP16: 'FP16',
  TYPE_FP32: 'FP32',
  TYPE_BF16: 'BF16',
};

/** How a model takes the weights of a LoRA adapter; undefined where it has no inputs for them. */
export function adapterFormat({ input }: ModelConfig): AdapterFormat | undefined {
  const [id, weights, config] = adapterInputs.map((inputName) => input.find(({ name }) => name === inputName));
  const datatype = weights && weightTypes[weights.data_type];
  if (!id || !config || !datatype) return undefined;
  const columns = config.dims.at(-1) ?? -1;
  return {
    datatype,
    ...(columns > 0 ? { columns } : {}),
    isMissing: ({ message }) => /LoRA task \d+ not found in cache/.test(message),
  };
}

/** The adapter by its number, and its weights where the engine does not have them yet. */
export function loraTensors(inputs: DeclaredInputs, { loraTaskId, loraWeights }: GenerateRequest): Tensor[] {
  if (loraTaskId !== undefined && !inputs.has(['lora_task_id']))
    throw new ApiError('model_not_found', 'This model takes no LoRA adapters.', { param: 'model' });
  return [
    ...inputs.number(['lora_task_id'], loraTaskId),
    ...(loraWeights
      ? [
          ...inputs.bytes('lora_weights', loraWeights.weights, loraWeights.weightsShape),
          ...inputs.numbers(['lora_config'], loraWeights.config, loraWeights.configShape),
        ]
      : []),
  ];
}
