import { ApiError } from '../errors.ts';
import type { StatusError } from '../kserve/status.ts';

type ErrorRule = readonly [RegExp, (match: RegExpExecArray) => ApiError];

function tooLong(length: string | undefined, limit: string | undefined): ApiError {
  const message = `The prompt has ${Number(length)} tokens; this model takes ${limit}. Shorten it.`;
  const overflow = { promptTokens: Number(length), limit: Number(limit) };
  return new ApiError('context_length_exceeded', message, { param: 'prompt', overflow });
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', message, { param });
}

/** What error texts of TensorRT-LLM and its Triton models mean, by a part of each: the rest may be a stack trace. */
const meanings: readonly ErrorRule[] = [
  [
    // The executor's, of every release; a second number is that of draft tokens.
    /Prompt length(?: \+ number of draft tokens)? \((\d+)(?: \+ \d+)?\) exceeds maximum (?:input|sequence) length \((\d+)\)/,
    ([, length, limit]) => tooLong(length, limit),
  ],
  [
    // The LLM API's, which writes whole numbers as 200.0.
    /prompt length \((\d+)(?:\.\d+)?\), query length \(\d+\) should not exceed max_num_tokens \((\d+)\)/,
    ([, length, limit]) => tooLong(length, limit),
  ],
  [/max_seq_len \((\d+)\) - splited_prompt_len \((\d+)/, ([, limit, length]) => tooLong(length, limit)],
  [
    /prompt length \((\d+)(?:\.\d+)?\) and query length \(\d+\) max_tokens \((\d+)\) should not exceed max_seq_len \((\d+)\)/,
    ([, length, maxTokens, limit]) =>
      new ApiError(
        'context_length_exceeded',
        `This model's maximum context length is ${limit} tokens. The prompt has ${length} and max_tokens is ${maxTokens}. ` +
          'Lower max_tokens or shorten the prompt.',
        {
          param: 'max_tokens',
          overflow: { promptTokens: Number(length), maxTokens: Number(maxTokens), limit: Number(limit) },
        },
      ),
  ],
  [/!mInputTokenIds\.empty\(\)|Invalid format for input_ids/, () => invalid('prompt', 'The prompt must not be empty.')],
  [
    /Maximum queue size of \d+ has been reached|Exceeds maximum queue size/,
    () => new ApiError('rate_limit_exceeded', 'The queue of this model is full. Try again later.', { retryAfter: 1 }),
  ],
  [
    /Unknown logits post-processor '(.*?)'\. .*Available: (?:\[(.*?)\])?/s,
    ([, name = '', names]) =>
      invalid(
        'logits_post_processor_name',
        `This model has no logits post-processor ${JSON.stringify(name)}. It has: ${names?.replaceAll("'", '') || 'none'}.`,
      ),
  ],
  [
    /LoRA task (\d+) not found in cache/,
    ([, task]) =>
      new ApiError('invalid_request', `The engine does not have the LoRA adapter ${task} in its cache.`, {
        param: 'model',
      }),
  ],
  [
    /Cache is full\. There are no done tasks to evict/,
    () =>
      new ApiError('rate_limit_exceeded', "The engine's cache of LoRA adapters is full. Try again later.", {
        retryAfter: 1,
      }),
  ],
  [
    /GuidedDecoder is not setup/,
    () =>
      new ApiError(
        'unsupported_parameter',
        'structured_outputs: not supported, because this engine was loaded without guided_decoding_backend.',
        { param: 'structured_outputs' },
      ),
  ],
  [
    /Guided decoding does not support with beam search/,
    () => invalid('structured_outputs', 'structured_outputs: TensorRT-LLM does not support it with beam search.'),
  ],
  [
    // As xgrammar words them, with a position in the pattern or the grammar; a schema has none.
    /((?:Regex parsing|EBNF (?:lexer|parser)) error at [^:\n]{1,40}: [^\n]{1,160})/,
    ([, reason]) => invalid('structured_outputs', `structured_outputs: the backend cannot compile it. ${reason}`),
  ],
  [
    /Guided decoding error|(?:regex|json_schema)_converter\.cc|grammar_\w+\.cc/i,
    () => invalid('structured_outputs', 'structured_outputs: the backend cannot compile it. The log has the reason.'),
  ],
  [
    /beam width (\d+) (?:differs from the|exceeds|is not equal to|is larger than configured) max[ _]beam[ _]width (\d+)/i,
    ([, width, limit]) => invalid('beam_width', `beam_width: is ${width}, but this engine supports ${limit}.`),
  ],
  [
    /beamWidth <= maxBeamWidth/,
    () => invalid('beam_width', 'beam_width: exceeds the maximum of this engine. Lower it.'),
  ],
  [
    // The first is the PyTorch engine's; the text of the C++ engine is unknown.
    /Token IDs? (?:are )?out of range|EndId \(-?\d+\) is not within acceptable range/i,
    () => invalid('prompt', "The request names tokens that are not in this model's vocabulary."),
  ],
  [
    /embedding bias shape is not as expected\. Expected last dimension to be same as vocab size: (\d+)/,
    ([, size]) =>
      new ApiError(
        'unsupported_parameter',
        `logit_bias: this engine has a vocabulary of ${size} tokens, which Conch does not know. Set --engine-dir.`,
        { param: 'logit_bias' },
      ),
  ],
  [
    /Streaming is only supported (?:in|if model is deployed using) decoupled mode/,
    () => new ApiError('backend_error', 'This model cannot stream: it was loaded with decoupled_mode set to false.'),
  ],
  [
    /Request cancelled by client/,
    () => new ApiError('client_closed_request', 'The request was cancelled before its response was complete.'),
  ],
];

/** The client's view of an error text of TensorRT-LLM, whichever of its models sends it. */
export function explainTrtllm(error: StatusError): ApiError | undefined {
  for (const [pattern, meaning] of meanings) {
    const match = pattern.exec(error.message);
    if (match) return meaning(match);
  }
  return undefined;
}
