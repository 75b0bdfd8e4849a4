import type { ContractKind } from '../../src/contracts/contract.ts';

/** What becomes of a field: the backend does it, Conch does it, a 400 names it, or it is known and changes nothing. */
export type Cell = 'honoured' | 'emulated' | 'refused' | 'no effect';

const letters: Readonly<Record<string, Cell>> = { h: 'honoured', e: 'emulated', r: 'refused', n: 'no effect' };

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
  ...everyOne('h', 'model temperature top_p top_k seed frequency_penalty presence_penalty max_tokens stream'),
  ...everyOne('e', 'n request_id echo stream_interval'),
  ...everyOne('n', 'user session_id'),
  ...everyOne(
    'r',
    `prompt_logprobs truncate_prompt_tokens truncation_side return_token_ids logits_processors logprob_token_ids priority
    cache_salt kv_transfer_params ec_transfer_params vllm_xargs thinking_token_budget repetition_detection watermarking
    guided_decoding_backend guided_whitespace_pattern structural_tag suffix add_special_tokens`,
  ),
  stream_options: 'hhhe',
  stop: 'hhhe',
  include_stop_str_in_output: 'heee',
  repetition_penalty: 'hhhr',
  min_p: 'hrrr',
  min_tokens: 'hhhr',
  ignore_eos: 'hhhr',
  bad_words: 'hhhr',
  stop_token_ids: 'hhrr',
  allowed_token_ids: 'herr',
  logit_bias: 'rhrr',
  skip_special_tokens: 'herr',
  spaces_between_special_tokens: 'herr',
  logprobs: 'hhrr',
  return_tokens_as_token_ids: 'eerr',
  use_beam_search: 'rhhr',
  beam_width: 'rhhr',
  length_penalty: 'rhhr',
  response_format: 'hhhe',
  structured_outputs: 'hhhe',
  guided_json: 'hhhe',
  guided_regex: 'hhhe',
  guided_choice: 'hhhe',
  guided_grammar: 'hhhr',
};

/** Every field of a chat request. */
export const chatTable = cells({
  ...shared,
  ...everyOne(
    'e',
    `messages chat_template_kwargs documents add_generation_prompt continue_final_message reasoning_effort enable_thinking tools
    parallel_tool_calls include_reasoning`,
  ),
  ...everyOne('h', 'max_completion_tokens'),
  ...everyOne('n', 'metadata safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options'),
  ...everyOne(
    'r',
    `service_tier store verbosity modalities functions function_call audio prediction
    web_search_options moderation best_of prompt chat_template mm_processor_kwargs media_io_kwargs return_prompt_text
    reasoning`,
  ),
  top_logprobs: 'hhrr',
  tool_choice: 'hhhe',
});

/** Every field of a completion request. */
export const completionTable = cells({
  ...shared,
  ...everyOne('h', 'prompt'),
  ...everyOne('r', 'prompt_embeds messages max_completion_tokens top_logprobs'),
  best_of: 'eerr',
});
