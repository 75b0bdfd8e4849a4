import { expect, it } from 'vitest';
import { StatusError } from '../kserve/status.ts';
import { explainTrtllm } from './trtllm-errors.ts';

const executor = 'Executor failed process requestId 7 due to the following error: ';
const fetching = `${executor}Encountered an error when fetching new request: `;
const frames =
  '\n1       0x71de43fba9 tensorrt_llm::common::throwRuntimeError(char const*, int, std::string const&) + 76';
const tooLong = (length: number, limit: number) => [
  'context_length_exceeded',
  'prompt',
  `The prompt has ${length} tokens; this model takes ${limit}. Shorten it.`,
];
const cannotGuideBeams = 'structured_outputs: TensorRT-LLM does not support it with beam search.';
const uncompiled = 'structured_outputs: the backend cannot compile it.';

it.each([
  [
    `in ensemble 'ensemble', ${fetching}Prompt length (200) exceeds maximum input length (100). Set log level to info …${frames}`,
    tooLong(200, 100),
  ],
  ['Cannot process new request: Prompt length (5056) exceeds maximum sequence length (2048)', tooLong(5056, 2048)],
  [
    `${fetching}Prompt length + number of draft tokens (200 + 4) exceeds maximum input length (100).`,
    tooLong(200, 100),
  ],
  [
    `Traceback (most recent call last):\n  File "/m/tensorrt_llm_bls/1/model.py", line 101, in execute\nException: ${fetching}Prompt length (8) exceeds maximum input length (7).`,
    tooLong(8, 7),
  ],
  [
    'Error generating request: The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)',
    tooLong(72417, 69632),
  ],
  [
    'default_max_tokens (-2389) should be greater than 0, = max_seq_len (9504) - splited_prompt_len (11893) - query_token_len (0)',
    tooLong(11893, 9504),
  ],
  [
    'The sum of prompt length (12.0) and query length (0) max_tokens (1000) should not exceed max_seq_len (512)',
    [
      'context_length_exceeded',
      'max_tokens',
      "This model's maximum context length is 512 tokens. The prompt has 12 and max_tokens is 1000. Lower max_tokens or shorten the prompt.",
    ],
  ],
  [
    `[TensorRT-LLM][ERROR] Assertion failed: !mInputTokenIds.empty() (/src/executor/requestImpl.h:400)${frames}`,
    ['invalid_request', 'prompt', 'The prompt must not be empty.'],
  ],
  [
    'Maximum queue size of 16 has been reached, please try again later',
    ['rate_limit_exceeded', null, 'The queue of this model is full. Try again later.'],
  ],
  ['Exceeds maximum queue size', ['rate_limit_exceeded', null, 'The queue of this model is full. Try again later.']],
  [
    `${executor}LoRA task 10 not found in cache. Please send LoRA weights with request`,
    ['invalid_request', 'model', 'The engine does not have the LoRA adapter 10 in its cache.'],
  ],
  [
    `${executor}Cache is full. There are no done tasks to evict`,
    ['rate_limit_exceeded', null, "The engine's cache of LoRA adapters is full. Try again later."],
  ],
  [
    `${fetching}[TensorRT-LLM][ERROR] Assertion failed: Request is specified with GuidedDecodingParams, but GuidedDecoder is not setup. Please …`,
    [
      'unsupported_parameter',
      'structured_outputs',
      'structured_outputs: not supported, because this engine was loaded without guided_decoding_backend.',
    ],
  ],
  ['Guided decoding does not support with beam search.', ['invalid_request', 'structured_outputs', cannotGuideBeams]],
  [
    '[12:05:04] /project/cpp/regex_converter.cc:73: Regex parsing error at position 4: The parenthesis is not closed.\n',
    [
      'invalid_request',
      'structured_outputs',
      `${uncompiled} Regex parsing error at position 4: The parenthesis is not closed.`,
    ],
  ],
  [
    'Guided decoding error: [10:52:27] /project/cpp/grammar_parser.cc:12: EBNF lexer error at line 1, column 15: Expect " in string literal',
    [
      'invalid_request',
      'structured_outputs',
      `${uncompiled} EBNF lexer error at line 1, column 15: Expect " in string literal`,
    ],
  ],
  [
    '[10:52:27] /project/cpp/json_schema_converter.cc:700: Check failed: (schema.is<picojson::object>()) is false',
    ['invalid_request', 'structured_outputs', `${uncompiled} The log has the reason.`],
  ],
  [
    `${executor}[TensorRT-LLM][ERROR] Assertion failed: Request with beam width 4 differs from the max beam width 2 (/src/x.cpp:1)`,
    ['invalid_request', 'beam_width', 'beam_width: is 4, but this engine supports 2.'],
  ],
  [
    'Request beam width 4 is not equal to max_beam_width 8. This is not supported!',
    ['invalid_request', 'beam_width', 'beam_width: is 4, but this engine supports 8.'],
  ],
  [
    'Assertion failed: Requested beam width 4 is larger than configured max beam width 2 (/src/x.cpp:1)',
    ['invalid_request', 'beam_width', 'beam_width: is 4, but this engine supports 2.'],
  ],
  [
    'request beam width 4 exceeds max beam width 2',
    ['invalid_request', 'beam_width', 'beam_width: is 4, but this engine supports 2.'],
  ],
  [
    'Assertion failed: samplingConfig.beamWidth <= maxBeamWidth (/app/gptDecoderBatch.cpp:417)',
    ['invalid_request', 'beam_width', 'beam_width: exceeds the maximum of this engine. Lower it.'],
  ],
  [
    'Token ID out of range',
    ['invalid_request', 'prompt', "The request names tokens that are not in this model's vocabulary."],
  ],
  [
    'Assertion failed: Token ids are out of range (/src/x.cpp:1)',
    ['invalid_request', 'prompt', "The request names tokens that are not in this model's vocabulary."],
  ],
  ['Invalid format for input_ids', ['invalid_request', 'prompt', 'The prompt must not be empty.']],
  [
    'EndId (32000) is not within acceptable range [-1, 32000).',
    ['invalid_request', 'prompt', "The request names tokens that are not in this model's vocabulary."],
  ],
  [
    'Assertion failed: The embedding bias shape is not as expected. Expected last dimension to be same as vocab size: 152064. (/app/x.cpp:1)',
    [
      'unsupported_parameter',
      'logit_bias',
      'logit_bias: this engine has a vocabulary of 152064 tokens, which Conch does not know. Set --engine-dir.',
    ],
  ],
  [
    'Streaming is only supported if model is deployed using decoupled mode.',
    ['backend_error', null, 'This model cannot stream: it was loaded with decoupled_mode set to false.'],
  ],
  [
    'Error generating request: Streaming is only supported in decoupled mode.',
    ['backend_error', null, 'This model cannot stream: it was loaded with decoupled_mode set to false.'],
  ],
  [
    'Request cancelled by client',
    ['client_closed_request', null, 'The request was cancelled before its response was complete.'],
  ],
])('%s', (text, expected) => {
  const { code, param, message } = explainTrtllm(new StatusError('INTERNAL', text)) ?? {};
  expect([code, param, message]).toEqual(expected);
});

it('explains nothing that it does not know', () => {
  expect(explainTrtllm(new StatusError('INTERNAL', `${executor}CUDA error: an illegal memory access`))).toBeUndefined();
});
