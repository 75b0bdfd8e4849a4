import type { ModelConfig } from '../kserve/messages.ts';
import type { InferRequest } from '../kserve/server.ts';
import type { Tensor } from '../kserve/tensors.ts';
import { DeclaredInputs } from './declared-inputs.ts';
import { inferRequest } from './trtllm-inputs.ts';

/** An engine as its server knows it. */
export interface StoppableEngine {
  readonly name: string;
  readonly version: string;
  readonly config: ModelConfig;
}

/** The inputs that an engine requires in every request. */
export function promptTensors(inputs: DeclaredInputs, prompt: ArrayLike<number>, length: number): Tensor[] {
  return [
    ...inputs.numbers(['input_ids'], prompt),
    ...inputs.number(['input_lengths'], prompt.length),
    ...inputs.number(['request_output_len'], length),
  ];
}

/** Whether an engine has an input to end a request. */
export function canStop(config: ModelConfig): boolean {
  return new DeclaredInputs(config).has(['stop']);
}

/** The request that ends another one of this id in an engine. */
export function stopCommand({ name, version, config }: StoppableEngine, id: string): InferRequest {
  const inputs = new DeclaredInputs(config);
  return inferRequest(
    { model: name, version, id },
    // Triton requires the inputs that are not optional in every request; the engine ignores them here.
    [...promptTensors(inputs, [0], 1), ...inputs.flag('stop', true)],
    ['output_ids', 'sequence_length'],
  );
}
