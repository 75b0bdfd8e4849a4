import type { ContractKind } from '../../src/contracts/contract.ts';

/** How a field is handled: by the backend, by Conch, with a 400 that names it, or validated and not used. */
export type Cell = 'supported' | 'emulated' | 'not supported' | 'ignored';

const letters: Readonly<Record<string, Cell>> = { s: 'supported', e: 'emulated', n: 'not supported', i: 'ignored' };

/** The order of the letters below, and of the columns on the page. */
export const contracts = ['vllm', 'trtllm-tokens', 'trtllm', 'llmapi'] as const satisfies readonly ContractKind[];

type Rows = Readonly<Record<string, string>>;

function cells(rows: Rows): Record<string, Readonly<Record<ContractKind, Cell>>> {
  const row = (written: string) =>
    Object.fromEntries(contracts.map((contract, at) => [contract, letters[written[at] ?? '']]));
  return Object.fromEntries(Object.entries(rows).map(([field, written]) => [field, row(written)])) as never;
}

const everyOne = (letter: string, fields: string): Rows =>
  Object.fromEntries(fields.split(/\s+/).map((field) => [field, letter.repeat(contracts.length)]));

/** The fields of both APIs, on models of current releases: vLLM 26.01, TensorRT-LLM 1.2 with logits gathered, its LLM API. */
const shared: Rows = {
  ...everyOne('s', 'model temperature top_p top_k seed frequency_penalty presence_penalty max_tokens stream'),
  ...everyOne('e', 'n request_id echo stream_interval'),
  ...everyOne('i', 'user session_id'),
  ...everyOne(
    'n',
    `prompt_logprobs truncate_prompt_tokens truncation_side return_token_ids logits_processors
    logits_post_processor_name logprob_token_ids priority
    cache_salt kv_transfer_params ec_transfer_params vllm_xargs thinking_token_budget repetition_detection watermarking
    guided_decoding_backend guided_whitespace_pattern structural_tag suffix add_special_tokens`,
  ),
  stream_options: 'ssse',
  stop: 'ssse',
  include_stop_str_in_output: 'seee',
  repetition_penalty: 'sssn',
  min_p: 'snnn',
  min_tokens: 'sssn',
  ignore_eos: 'sssn',
  bad_words: 'sssn',
  stop_token_ids: 'ssnn',
  allowed_token_ids: 'senn',
  logit_bias: 'nsnn',
  skip_special_tokens: 'senn',
  spaces_between_special_tokens: 'senn',
  logprobs: 'ssnn',
  return_tokens_as_token_ids: 'eenn',
  use_beam_search: 'nssn',
  beam_width: 'nssn',
  length_penalty: 'nssn',
  response_format: 'ssse',
  structured_outputs: 'ssse',
  guided_json: 'ssse',
  guided_regex: 'ssse',
  guided_choice: 'ssse',
  guided_grammar: 'sssn',
};

/** Every field of a chat request. */
export const chatTable = cells({
  ...shared,
  ...everyOne(
    'e',
    `messages chat_template_kwargs documents add_generation_prompt continue_final_message reasoning_effort verbosity enable_thinking
    tools
    parallel_tool_calls include_reasoning`,
  ),
  ...everyOne('s', 'max_completion_tokens'),
  ...everyOne('i', 'metadata safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options'),
  ...everyOne(
    'n',
    `service_tier store modalities functions function_call audio prediction
    web_search_options moderation best_of prompt chat_template mm_processor_kwargs media_io_kwargs return_prompt_text
    reasoning`,
  ),
  top_logprobs: 'ssnn',
  tool_choice: 'ssse',
});

/** Every field of a completion request. */
export const completionTable = cells({
  ...shared,
  ...everyOne('s', 'prompt'),
  ...everyOne('n', 'prompt_embeds messages max_completion_tokens top_logprobs'),
  best_of: 'eenn',
});
