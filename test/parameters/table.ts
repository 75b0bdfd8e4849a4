import type { ContractKind } from '../../src/contracts/contract.ts';

/** How a field is handled: by the backend, by Conch, with a 400 that names it, or validated and not used. */
export type Cell = 'supported' | 'emulated' | 'not supported' | 'ignored';

const letters: Readonly<Record<string, Cell>> = { s: 'supported', e: 'emulated', n: 'not supported', i: 'ignored' };

/** The order of the letters below, and of the columns on the page. */
export const contracts = [
  'vllm',
  'conch-tokens',
  'trtllm-tokens',
  'trtllm',
  'llmapi',
] as const satisfies readonly ContractKind[];

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
    `logits_processors logits_post_processor_name kv_transfer_params ec_transfer_params watermarking guided_decoding_backend suffix`,
  ),
  prompt_logprobs: 'nsnnn',
  logprob_token_ids: 'nsnnn',
  priority: 'nsnnn',
  cache_salt: 'nsnnn',
  vllm_xargs: 'nsnnn',
  thinking_token_budget: 'nsnnn',
  repetition_detection: 'nsnnn',
  structural_tag: 'nsnnn',
  guided_whitespace_pattern: 'nsnnn',
  return_token_ids: 'nsenn',
  truncate_prompt_tokens: 'neenn',
  truncation_side: 'neenn',
  add_special_tokens: 'neenn',
  stream_options: 'sssse',
  stop: 'sssse',
  include_stop_str_in_output: 'seeee',
  repetition_penalty: 'ssssn',
  min_p: 'ssnnn',
  min_tokens: 'ssssn',
  ignore_eos: 'ssssn',
  bad_words: 'ssssn',
  stop_token_ids: 'sssnn',
  allowed_token_ids: 'ssenn',
  logit_bias: 'nssnn',
  skip_special_tokens: 'seenn',
  spaces_between_special_tokens: 'seenn',
  logprobs: 'sssnn',
  return_tokens_as_token_ids: 'eeenn',
  use_beam_search: 'nsssn',
  beam_width: 'nsssn',
  length_penalty: 'nsssn',
  response_format: 'sssse',
  structured_outputs: 'sssse',
  guided_json: 'sssse',
  guided_regex: 'sssse',
  guided_choice: 'sssse',
  guided_grammar: 'ssssn',
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
    web_search_options moderation best_of prompt chat_template media_io_kwargs return_prompt_text
    reasoning`,
  ),
  mm_processor_kwargs: 'nsnnn',
  top_logprobs: 'sssnn',
  tool_choice: 'sssse',
});

/** Every field of a completion request. */
export const completionTable = cells({
  ...shared,
  ...everyOne('s', 'prompt'),
  ...everyOne('n', 'prompt_embeds messages max_completion_tokens top_logprobs'),
  best_of: 'eeenn',
});
