import { RepositoryError } from './finding.ts';
import { suggest } from './pbtxt/suggest.ts';

/** The required values of an inflight-batching repository; all others have a default. */
export interface RequiredValues {
  readonly engine_dir: string;
  readonly tokenizer_dir: string;
}

/** Every value of the five models, under the names that TensorRT-LLM's templates use. An empty one is not set. */
export const trtllmDefaults = {
  triton_backend: 'tensorrtllm',
  triton_max_batch_size: '8',
  decoupled_mode: 'true',
  max_queue_delay_microseconds: '0',
  max_queue_size: '0',
  preprocessing_instance_count: '5',
  // With more than one, the chunks of a streamed response can arrive out of order.
  postprocessing_instance_count: '1',
  bls_instance_count: '5',
  logits_datatype: 'TYPE_FP32',
  encoder_input_features_data_type: 'TYPE_FP16',
  prompt_embedding_table_data_type: 'TYPE_FP16',
  engine_dir: '',
  tokenizer_dir: '',
  add_special_tokens: 'true',
  skip_special_tokens: 'true',
  multimodal_model_path: '',
  hf_model_path: '',
  max_num_images: '',
  accumulate_tokens: 'false',
  tensorrt_llm_model_name: 'tensorrt_llm',
  tensorrt_llm_draft_model_name: '',
  multimodal_encoders_name: '',
  max_beam_width: '1',
  batching_strategy: 'inflight_fused_batching',
  encoder_engine_dir: '',
  max_tokens_in_paged_kv_cache: '',
  max_attention_window_size: '',
  sink_token_length: '',
  batch_scheduler_policy: 'guaranteed_no_evict',
  kv_cache_free_gpu_mem_fraction: '0.9',
  cross_kv_cache_fraction: '',
  kv_cache_host_memory_bytes: '0',
  kv_cache_onboard_blocks: 'true',
  enable_trt_overlap: 'false',
  exclude_input_in_output: 'false',
  cancellation_check_period_ms: '100',
  stats_check_period_ms: '100',
  recv_poll_period_ms: '0',
  iter_stats_max_iterations: '',
  request_stats_max_iterations: '',
  enable_kv_cache_reuse: 'true',
  normalize_log_probs: 'true',
  enable_chunked_context: 'false',
  gpu_device_ids: '',
  participant_ids: '',
  num_nodes: '1',
  lora_cache_optimal_adapter_size: '8',
  lora_cache_max_adapter_size: '64',
  lora_cache_gpu_memory_fraction: '0.05',
  lora_cache_host_memory_bytes: '1073741824',
  lora_prefetch_dir: '',
  decoding_mode: '',
  lookahead_window_size: '',
  lookahead_ngram_size: '',
  lookahead_verification_set_size: '',
  medusa_choices: '',
  eagle_choices: '',
  gpu_weights_percent: '1.0',
  enable_context_fmha_fp32_acc: 'false',
  multi_block_mode: 'true',
  cuda_graph_mode: 'false',
  cuda_graph_cache_size: '0',
  speculative_decoding_fast_logits: 'false',
  guided_decoding_backend: '',
  xgrammar_tokenizer_info_path: '',
} as const;

export type TrtllmName = keyof typeof trtllmDefaults;
export type TrtllmValues = Readonly<Record<TrtllmName, string>>;

const counts: readonly TrtllmName[] = [
  'triton_max_batch_size',
  'preprocessing_instance_count',
  'postprocessing_instance_count',
  'bls_instance_count',
];
const sizes: readonly TrtllmName[] = ['max_queue_delay_microseconds', 'max_queue_size'];
const choices: readonly (readonly [TrtllmName, readonly string[]])[] = [
  ['triton_backend', ['tensorrtllm', 'python']],
  ['decoupled_mode', ['true', 'false']],
  ['logits_datatype', ['TYPE_FP32', 'TYPE_FP16', 'TYPE_BF16']],
  ['encoder_input_features_data_type', ['TYPE_FP16', 'TYPE_BF16', 'TYPE_FP32']],
  ['prompt_embedding_table_data_type', ['TYPE_FP16', 'TYPE_BF16', 'TYPE_FP32']],
  ['batching_strategy', ['inflight_fused_batching', 'inflight_batching', 'V1']],
  ['batch_scheduler_policy', ['guaranteed_no_evict', 'max_utilization', 'static_batch']],
];

/** Merges the defaults and these values. Throws a RepositoryError that names every problem. */
export function trtllmValues(required: RequiredValues, overrides: ReadonlyMap<string, string>): TrtllmValues {
  const names = Object.keys(trtllmDefaults);
  const strangers = [...overrides.keys()].filter((name) => !names.includes(name));
  const problems = strangers.map(
    (name) => `${name} is not a value of TensorRT-LLM's templates.${suggest(name, names)}`,
  );
  const values: TrtllmValues = { ...trtllmDefaults, ...Object.fromEntries(overrides), ...required };
  for (const name of counts) {
    if (!/^[1-9]\d{0,5}$/.test(values[name])) problems.push(wrong(name, values[name], 'a whole number of at least 1'));
  }
  for (const name of sizes) {
    if (!/^\d{1,15}$/.test(values[name])) problems.push(wrong(name, values[name], 'a whole number of at least 0'));
  }
  for (const [name, known] of choices) {
    if (!known.includes(values[name])) problems.push(wrong(name, values[name], `one of ${known.join(', ')}`));
  }
  if (problems.length > 0) throw new RepositoryError(problems);
  return values;
}

function wrong(name: string, value: string, expected: string): string {
  return `${name} must be ${expected}, not ${JSON.stringify(value)}.`;
}
