/**
 * The tensors of the models that make up an inflight-batching repository of TensorRT-LLM 1.2, one per line: name, type,
 * dims without the batch, and marks. `optional`: may be left out; `ragged`: rows of one batch may differ in length;
 * `scalar`: the backend sees no dimension but the batch. A type in braces is chosen when the folder is written.
 */

/** What the engine can report of itself; the models around it pass these on. */
const reports = `
  kv_cache_alloc_new_blocks INT32 1
  kv_cache_reused_blocks INT32 1
  kv_cache_alloc_total_blocks INT32 1
  arrival_time_ns INT64 1
  first_scheduled_time_ns INT64 1
  first_token_time_ns INT64 1
  last_token_time_ns INT64 1
  acceptance_rate FP32 1
  total_accepted_draft_tokens INT32 1
  total_draft_tokens INT32 1
  num_input_tokens INT32 1
  num_output_tokens INT32 1`;

const likelihoods = `
  cum_log_probs FP32 -1
  output_log_probs FP32 -1,-1
  context_logits {logits_datatype} -1,-1
  generation_logits {logits_datatype} -1,-1,-1
  batch_index INT32 1
  sequence_index INT32 1`;

const sampling = `
  bad_words STRING -1 optional
  stop_words STRING -1 optional
  exclude_input_in_output BOOL 1 optional
  end_id INT32 1 optional
  pad_id INT32 1 optional
  top_k INT32 1 optional
  top_p FP32 1 optional
  temperature FP32 1 optional
  length_penalty FP32 1 optional
  repetition_penalty FP32 1 optional
  min_tokens INT32 1 optional
  presence_penalty FP32 1 optional
  frequency_penalty FP32 1 optional
  seed UINT64 1 optional`;

export const ensembleInputs = `
  text_input STRING 1
  decoder_text_input STRING 1 optional
  max_tokens INT32 1
  num_return_sequences INT32 1 optional${sampling}
  return_log_probs BOOL 1 optional
  return_context_logits BOOL 1 optional
  return_generation_logits BOOL 1 optional
  return_perf_metrics BOOL 1 optional
  return_num_input_tokens BOOL 1 optional
  return_num_output_tokens BOOL 1 optional
  beam_width INT32 1 optional
  stream BOOL 1 optional
  prompt_embedding_table {prompt_embedding_table_data_type} -1,-1 optional
  prompt_table_extra_id UINT64 1 optional
  prompt_vocab_size INT32 1 optional
  embedding_bias_words STRING -1 optional
  embedding_bias_weights FP32 -1 optional
  lora_task_id UINT64 1 optional
  lora_weights FP16 -1,-1 optional ragged
  lora_config INT32 -1,3 optional ragged
  guided_decoding_guide_type STRING 1 optional ragged
  guided_decoding_guide STRING 1 optional ragged`;

export const textOutputs = `
  text_output STRING -1${likelihoods}${reports}`;

export const blsInputs = `
  text_input STRING 1
  decoder_text_input STRING 1 optional
  image_input FP16 -1,3,-1,-1 optional
  image_bytes_input UINT8 -1,-1,-1,-1 optional
  image_url_input STRING 1 optional
  image_sizes_input INT64 -1,2 optional
  video_bytes_input UINT8 -1,-1,-1,-1 optional
  max_tokens INT32 1${sampling}
  return_log_probs BOOL 1 optional scalar
  return_context_logits BOOL 1 optional scalar
  return_generation_logits BOOL 1 optional scalar
  num_return_sequences INT32 1 optional scalar
  beam_width INT32 1 optional
  stream BOOL 1 optional
  prompt_embedding_table {prompt_embedding_table_data_type} -1,-1 optional
  prompt_vocab_size INT32 1 optional
  prompt_table_extra_id UINT64 1 optional
  embedding_bias_words STRING -1 optional
  embedding_bias_weights FP32 -1 optional
  num_draft_tokens INT32 1 optional
  use_draft_logits BOOL 1 optional scalar
  lora_task_id UINT64 1 optional scalar
  lora_weights FP16 -1,-1 optional ragged
  lora_config INT32 -1,3 optional ragged
  return_perf_metrics BOOL 1 optional scalar
  return_num_input_tokens BOOL 1 optional scalar
  return_num_output_tokens BOOL 1 optional scalar
  guided_decoding_guide_type STRING 1 optional
  guided_decoding_guide STRING 1 optional`;

export const engineInputs = `
  input_ids INT32 -1 optional ragged
  encoder_input_features {encoder_input_features_data_type} -1,-1 optional ragged
  encoder_output_lengths INT32 1 optional scalar
  input_lengths INT32 1 scalar
  request_output_len INT32 1 scalar
  num_return_sequences INT32 1 optional scalar
  draft_input_ids INT32 -1 optional ragged
  decoder_input_ids INT32 -1 optional ragged
  decoder_input_lengths INT32 1 optional scalar
  draft_logits {logits_datatype} -1,-1 optional ragged
  draft_acceptance_threshold FP32 1 optional scalar
  end_id INT32 1 optional scalar
  pad_id INT32 1 optional scalar
  stop_words_list INT32 2,-1 optional ragged
  bad_words_list INT32 2,-1 optional ragged
  embedding_bias FP32 -1 optional ragged
  beam_width INT32 1 optional scalar
  temperature FP32 1 optional scalar
  runtime_top_k INT32 1 optional scalar
  runtime_top_p FP32 1 optional scalar
  runtime_top_p_min FP32 1 optional scalar
  runtime_top_p_decay FP32 1 optional scalar
  runtime_top_p_reset_ids INT32 1 optional scalar
  len_penalty FP32 1 optional scalar
  early_stopping BOOL 1 optional scalar
  repetition_penalty FP32 1 optional scalar
  min_tokens INT32 1 optional scalar
  beam_search_diversity_rate FP32 1 optional scalar
  presence_penalty FP32 1 optional scalar
  frequency_penalty FP32 1 optional scalar
  seed UINT64 1 optional scalar
  return_log_probs BOOL 1 optional scalar
  return_context_logits BOOL 1 optional scalar
  return_generation_logits BOOL 1 optional scalar
  return_perf_metrics BOOL 1 optional scalar
  return_num_input_tokens BOOL 1 optional scalar
  return_num_output_tokens BOOL 1 optional scalar
  exclude_input_in_output BOOL 1 optional scalar
  stop BOOL 1 optional scalar
  streaming BOOL 1 optional scalar
  prompt_embedding_table {prompt_embedding_table_data_type} -1,-1 optional ragged
  prompt_table_extra_ids UINT64 -1 optional ragged
  prompt_vocab_size INT32 1 optional scalar
  cross_attention_mask BOOL -1,-1 optional ragged
  mrope_rotary_cos_sin FP32 -1 optional
  mrope_position_deltas INT64 1 optional
  lora_task_id UINT64 1 optional scalar
  lora_weights FP16 -1,-1 optional ragged
  lora_config INT32 -1,3 optional ragged
  context_phase_params UINT8 -1 optional ragged
  skip_cross_attn_blocks BOOL 1 optional ragged
  retention_token_range_starts INT32 -1 optional ragged
  retention_token_range_ends INT32 -1 optional ragged
  retention_token_range_priorities INT32 -1 optional ragged
  retention_token_range_durations_ms INT32 -1 optional ragged
  retention_decode_priority INT32 1 optional ragged
  retention_decode_duration_ms INT32 1 optional ragged
  guided_decoding_guide_type STRING 1 optional ragged
  guided_decoding_guide STRING 1 optional ragged
  lookahead_window_size INT32 1 optional ragged
  lookahead_ngram_size INT32 1 optional ragged
  lookahead_verification_set_size INT32 1 optional ragged`;

export const engineOutputs = `
  output_ids INT32 -1,-1
  sequence_length INT32 -1${likelihoods}
  context_phase_params UINT8 -1${reports}`;

export const preprocessingInputs = `
  QUERY STRING 1
  DECODER_QUERY STRING 1 optional
  IMAGE_BYTES UINT8 -1,-1,-1,-1 optional
  IMAGE_URL STRING -1 optional
  IMAGE_SIZES INT64 -1,2 optional
  VIDEO_BYTES UINT8 -1,-1,-1,-1 optional
  REQUEST_OUTPUT_LEN INT32 1
  BAD_WORDS_DICT STRING -1 optional
  STOP_WORDS_DICT STRING -1 optional
  EMBEDDING_BIAS_WORDS STRING -1 optional
  EMBEDDING_BIAS_WEIGHTS FP32 -1 optional
  END_ID INT32 1 optional
  PAD_ID INT32 1 optional
  PROMPT_TABLE_EXTRA_ID UINT64 1 optional`;

export const preprocessingOutputs = `
  INPUT_ID INT32 -1
  REQUEST_INPUT_LEN INT32 1
  DECODER_INPUT_ID INT32 -1
  REQUEST_DECODER_INPUT_LEN INT32 1
  BAD_WORDS_IDS INT32 2,-1
  STOP_WORDS_IDS INT32 2,-1
  EMBEDDING_BIAS FP32 -1
  REQUEST_OUTPUT_LEN INT32 -1
  OUT_END_ID INT32 1
  OUT_PAD_ID INT32 1
  OUT_PROMPT_TABLE_EXTRA_IDS UINT64 -1
  PIXEL_VALUES FP16 -1,-1,-1,-1
  ASPECT_RATIO_IDS INT64 -1
  ASPECT_RATIO_MASK INT64 -1,-1
  CROSS_ATTENTION_MASK INT64 -1,-1,-1
  IMAGE_SIZES INT64 -1,2
  IS_VIDEO_INPUT BOOL 1
  ATTENTION_MASK INT64 -1
  IMAGE_GRID_THW INT64 3
  VISION_INPUT_ID INT32 -1`;

export const postprocessingInputs = `
  TOKENS_BATCH INT32 -1,-1
  SEQUENCE_LENGTH INT32 -1`;

export const postprocessingOutputs = `
  OUTPUT STRING -1`;

/** The mapping of tensors of preprocessing to tensors of the ensemble. */
export const preprocessingRoute = {
  inputs: `
  QUERY text_input
  DECODER_QUERY decoder_text_input
  REQUEST_OUTPUT_LEN max_tokens
  BAD_WORDS_DICT bad_words
  STOP_WORDS_DICT stop_words
  EMBEDDING_BIAS_WORDS embedding_bias_words
  EMBEDDING_BIAS_WEIGHTS embedding_bias_weights
  END_ID end_id
  PAD_ID pad_id
  PROMPT_TABLE_EXTRA_ID prompt_table_extra_id`,
  outputs: `
  INPUT_ID _prompt_ids
  REQUEST_INPUT_LEN _prompt_length
  DECODER_INPUT_ID _decoder_ids
  REQUEST_DECODER_INPUT_LEN _decoder_length
  BAD_WORDS_IDS _bad_words_ids
  STOP_WORDS_IDS _stop_words_ids
  EMBEDDING_BIAS _embedding_bias
  REQUEST_OUTPUT_LEN _output_length
  OUT_END_ID _end_id
  OUT_PAD_ID _pad_id
  OUT_PROMPT_TABLE_EXTRA_IDS _prompt_table_extra_ids`,
};

/** The engine's tensors with another name in the ensemble; all others that both have keep their name. */
export const engineRoute = {
  inputs: `
  input_ids _prompt_ids
  input_lengths _prompt_length
  decoder_input_ids _decoder_ids
  decoder_input_lengths _decoder_length
  request_output_len _output_length
  end_id _end_id
  pad_id _pad_id
  bad_words_list _bad_words_ids
  stop_words_list _stop_words_ids
  embedding_bias _embedding_bias
  prompt_table_extra_ids _prompt_table_extra_ids
  runtime_top_k top_k
  runtime_top_p top_p
  len_penalty length_penalty
  streaming stream`,
  outputs: `
  output_ids _output_ids
  sequence_length _sequence_length`,
};
