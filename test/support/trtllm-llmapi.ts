import { writeModelConfig } from '../../src/repository/pbtxt/model-config.ts';

/** The tensors of the LLM API's model: name, type, dims; inputs but the first are optional. */
const inputs = `
  text_input STRING -1
  streaming BOOL 1
  sampling_param_best_of INT32 1
  sampling_param_temperature FP32 1
  sampling_param_top_k INT32 1
  sampling_param_top_p FP32 1
  sampling_param_frequency_penalty FP32 1
  sampling_param_presence_penalty FP32 1
  sampling_param_max_tokens INT32 1
  sampling_param_stop STRING -1
  sampling_param_seed UINT64 1
  sampling_param_exclude_input_from_output BOOL 1
  sampling_param_return_perf_metrics BOOL 1
  return_finish_reason BOOL 1
  return_stop_reason BOOL 1
  return_cumulative_logprob BOOL 1
  stop BOOL 1`;

const laterInputs = `
  sampling_param_logits_post_processor_name STRING 1
  lora_id UINT64 1
  lora_name STRING 1
  lora_path STRING 1
  lora_ckpt_source STRING 1`;

const outputs = `
  text_output STRING -1
  finish_reason STRING -1
  stop_reason STRING -1
  cumulative_logprob FP32 -1
  kv_cache_reused_block INT32 -1
  kv_cache_missed_block INT32 -1
  kv_cache_alloc_new_blocks INT32 -1
  kv_cache_alloc_total_blocks INT32 -1
  kv_cache_hit_rate FP32 -1
  arrival_time_ns INT64 1
  first_scheduled_time_ns INT64 1
  first_token_time_ns INT64 1
  last_token_time_ns INT64 1
  acceptance_rate FP32 1
  total_accepted_draft_tokens INT32 1
  total_draft_tokens INT32 1`;

interface LlmapiOptions {
  readonly decoupled: boolean;
  readonly release: string;
  readonly engineFolder: string;
  readonly tokenizer: string;
}

/** The config.pbtxt of the LLM API's model. */
export function llmapiConfig({ decoupled, release, engineFolder, tokenizer }: LlmapiOptions): string {
  const parameters = { toy_engine: engineFolder, toy_tokenizer: tokenizer, toy_release: release };
  return writeModelConfig({
    name: 'llmapi',
    backend: 'python',
    max_batch_size: 0,
    model_transaction_policy: { decoupled },
    input: tensors(release === 'main' ? inputs + laterInputs : inputs).map((tensor, at) => ({
      ...tensor,
      ...(at > 0 && { optional: true }),
    })),
    output: tensors(outputs),
    instance_group: [{ kind: 'KIND_CPU', count: 1 }],
    parameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, { string_value: value }])),
  });
}

/** The file beside model.py that names the model and the transaction policy. */
export function llmapiYaml(tokenizer: string, { decoupled = true }: { readonly decoupled?: boolean }): string {
  return [
    `model: ${JSON.stringify(tokenizer)}`,
    'backend: "pytorch"',
    'tensor_parallel_size: 1',
    'pipeline_parallel_size: 1',
    'triton_config:',
    '  max_batch_size: 0',
    `  decoupled: ${decoupled}`,
    '  cancellation_check_period_ms: 100',
    '',
  ].join('\n');
}

function tensors(table: string) {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name, type, dims] = line.trim().split(' ');
      return { name, data_type: `TYPE_${type}`, dims: [Number(dims)] };
    });
}
