import type { ModelConfig, ModelMetadata, ModelTensor } from '../../../kserve/messages.ts';
import { datatypeOf } from '../../../kserve/validate-request.ts';

/** The values for the configuration of an embedded model. */
export interface ConfigParts {
  readonly name: string;
  readonly contextLength: number;
  readonly chatTemplate: string | undefined;
  readonly bosToken: string | undefined;
  readonly eosToken: string | undefined;
  readonly adapters: readonly string[];
}

const optional = (name: string, dataType: string, size = 1): ModelTensor => ({
  name,
  data_type: dataType,
  dims: [size],
  optional: true,
});

/** The tensors of Triton's vLLM backend, release 26.01, so that its clients also work with embedded models. */
const inputs: readonly ModelTensor[] = [
  { name: 'text_input', data_type: 'TYPE_STRING', dims: [1] },
  optional('image', 'TYPE_STRING', -1),
  optional('stream', 'TYPE_BOOL'),
  optional('sampling_parameters', 'TYPE_STRING'),
  optional('exclude_input_in_output', 'TYPE_BOOL'),
  optional('return_finish_reason', 'TYPE_BOOL'),
  optional('return_cumulative_logprob', 'TYPE_BOOL'),
  optional('return_logprobs', 'TYPE_BOOL'),
  optional('return_num_input_tokens', 'TYPE_BOOL'),
  optional('return_num_output_tokens', 'TYPE_BOOL'),
  optional('embedding_request', 'TYPE_STRING'),
];

const outputs: readonly ModelTensor[] = [
  { name: 'text_output', data_type: 'TYPE_STRING', dims: [-1] },
  { name: 'finish_reason', data_type: 'TYPE_STRING', dims: [-1] },
  { name: 'cumulative_logprob', data_type: 'TYPE_FP32', dims: [-1] },
  { name: 'logprobs', data_type: 'TYPE_STRING', dims: [-1] },
  { name: 'num_input_tokens', data_type: 'TYPE_UINT32', dims: [1] },
  { name: 'num_output_tokens', data_type: 'TYPE_UINT32', dims: [-1] },
];

/** The configuration. Its parameters contain what Conch needs for prompts, as for any other model. */
export function embeddedConfig(parts: ConfigParts): ModelConfig {
  const { name, contextLength, chatTemplate, bosToken, eosToken, adapters } = parts;
  const parameters = {
    context_length: String(contextLength),
    chat_template: chatTemplate,
    bos_token: bosToken,
    eos_token: eosToken,
    lora_adapters: adapters.length > 0 ? JSON.stringify(adapters) : undefined,
  };
  return {
    name,
    platform: 'llamacpp',
    backend: 'llamacpp',
    max_batch_size: 0,
    input: inputs,
    output: outputs,
    parameters: Object.fromEntries(
      Object.entries(parameters).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, { string_value: value }]],
      ),
    ),
    model_transaction_policy: { decoupled: true },
  };
}

/** The metadata that goes with a configuration without a batch dimension. */
export function metadataOf(config: ModelConfig, versions: readonly string[]): ModelMetadata {
  const describe = ({ name, data_type, dims }: ModelTensor) => ({ name, datatype: datatypeOf(data_type), shape: dims });
  return {
    name: config.name,
    versions,
    platform: config.platform,
    inputs: config.input.map(describe),
    outputs: config.output.map(describe),
  };
}
