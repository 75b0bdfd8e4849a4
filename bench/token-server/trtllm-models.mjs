/**
 * The model `bench` as TensorRT-LLM's backend would serve it: the ensemble, text in and text out, or the engine itself, token ids in and out.
 * Of their tensors those that a chat can send or be sent.
 */
import { CONTEXT_LENGTH, TEXT_BYTES, TOKEN_BYTES } from '../completion-text.mjs';
import { ANSWER_IDS } from '../tokenizer.mjs';
import { bytesTensor, PLACEHOLDER, textOf, uint32, YES } from './tensors.mjs';

/** @import { Accepted, Datatype, Inputs, Model, TensorDescription } from './served-model.mjs' */

/**
 * @param {Datatype} type
 * @param {string} names
 * @returns {TensorDescription[]}
 */
const scalars = (type, names) => names.split(' ').map((name) => ({ name, type, dims: [1] }));

const SAMPLERS = [
  ...scalars('INT32', 'end_id pad_id beam_width min_tokens num_return_sequences'),
  ...scalars('FP32', 'temperature repetition_penalty presence_penalty frequency_penalty'),
  ...scalars('UINT64', 'seed lora_task_id'),
  ...scalars('BOOL', 'return_log_probs return_generation_logits return_perf_metrics exclude_input_in_output'),
  ...scalars('BOOL', 'return_num_input_tokens return_num_output_tokens'),
  ...scalars('BYTES', 'guided_decoding_guide_type guided_decoding_guide'),
];
const REPORTS = scalars('INT32', 'kv_cache_reused_blocks num_input_tokens num_output_tokens');

/** @type {TensorDescription[]} */
const ENSEMBLE_INPUTS = [
  { name: 'text_input', type: 'BYTES', dims: [1], required: true },
  { name: 'max_tokens', type: 'INT32', dims: [1], required: true },
  { name: 'bad_words', type: 'BYTES', dims: [-1] },
  { name: 'stop_words', type: 'BYTES', dims: [-1] },
  ...scalars('INT32', 'top_k'),
  ...scalars('FP32', 'top_p length_penalty'),
  ...scalars('BOOL', 'stream'),
  ...SAMPLERS,
];
/** @type {TensorDescription[]} */
const ENGINE_INPUTS = [
  { name: 'input_ids', type: 'INT32', dims: [-1] },
  { name: 'input_lengths', type: 'INT32', dims: [1], required: true },
  { name: 'request_output_len', type: 'INT32', dims: [1], required: true },
  { name: 'stop_words_list', type: 'INT32', dims: [2, -1] },
  { name: 'bad_words_list', type: 'INT32', dims: [2, -1] },
  { name: 'embedding_bias', type: 'FP32', dims: [-1] },
  ...scalars('INT32', 'runtime_top_k'),
  ...scalars('FP32', 'runtime_top_p len_penalty'),
  ...scalars('BOOL', 'streaming stop early_stopping'),
  ...SAMPLERS,
];

const NO_STREAM = 'the token server can only stream';

/**
 * How many tokens are asked for, or what is wrong with it.
 * @param {Buffer | undefined} raw
 */
function lengthOf(raw) {
  const tokens = Math.min(raw?.readInt32LE(0) ?? 0, CONTEXT_LENGTH);
  return tokens >= 1 ? tokens : undefined;
}

/**
 * @param {Inputs} inputs
 * @param {Set<string>} expected
 * @returns {Accepted | string}
 */
function readText(inputs, expected) {
  const prompt = textOf(inputs.get('text_input'));
  const tokens = lengthOf(inputs.get('max_tokens'));
  if (prompt === undefined || tokens === undefined) return 'text_input or max_tokens is missing or not positive';
  const counts = ['num_input_tokens', 'num_output_tokens'].filter((name) => inputs.get(`return_${name}`)?.[0] === 1);
  const outputs = ['text_output', ...counts].filter((name) => expected.size === 0 || expected.has(name));
  const request = { promptTokens: Math.ceil(prompt.length / TOKEN_BYTES), outputs };
  return inputs.get('stream')?.[0] === 1 ? { ...request, tokens } : { ...request, tokens: 1, whole: tokens };
}

/**
 * @param {Inputs} inputs
 * @returns {Accepted | string}
 */
function readIds(inputs) {
  const promptTokens = inputs.get('input_lengths')?.readInt32LE(0) ?? 0;
  const tokens = lengthOf(inputs.get('request_output_len'));
  if (tokens === undefined || inputs.get('input_ids')?.length !== promptTokens * 4)
    return 'input_ids, input_lengths or request_output_len is missing or does not fit the others';
  if (inputs.get('streaming')?.[0] !== 1) return NO_STREAM;
  return { tokens, promptTokens, outputs: ['output_ids', 'sequence_length'] };
}

/** @type {Model} */
export const ensembleModel = {
  platform: 'ensemble',
  backend: '',
  batch: 256,
  inputs: ENSEMBLE_INPUTS,
  outputs: [{ name: 'text_output', type: 'BYTES', dims: [-1] }, ...REPORTS],
  tokens: TEXT_BYTES,
  read: readText,
  respond: ({ promptTokens, whole }) => [
    {
      name: 'text_output',
      datatype: 'BYTES',
      shape: [1, 1],
      data: bytesTensor(whole === undefined ? PLACEHOLDER : TEXT_BYTES.subarray(0, whole * TOKEN_BYTES)),
    },
    { name: 'num_input_tokens', datatype: 'INT32', shape: [1, 1], data: uint32(promptTokens) },
    { name: 'num_output_tokens', datatype: 'INT32', shape: [1, 1], data: uint32(whole ?? 1) },
  ],
  ask: (prompt, tokens) => [
    { name: 'text_input', datatype: 'BYTES', shape: [1, 1], data: bytesTensor(prompt) },
    { name: 'max_tokens', datatype: 'INT32', shape: [1, 1], data: uint32(tokens) },
    { name: 'stream', datatype: 'BOOL', shape: [1, 1], data: YES },
    { name: 'return_num_input_tokens', datatype: 'BOOL', shape: [1, 1], data: YES },
    { name: 'return_num_output_tokens', datatype: 'BOOL', shape: [1, 1], data: YES },
  ],
};

/** @type {Model} */
export const engineModel = {
  platform: '',
  backend: 'tensorrtllm',
  batch: 256,
  inputs: ENGINE_INPUTS,
  outputs: [
    { name: 'output_ids', type: 'INT32', dims: [-1, -1] },
    { name: 'sequence_length', type: 'INT32', dims: [-1] },
    ...REPORTS,
  ],
  tokens: ANSWER_IDS,
  read: readIds,
  respond: () => [
    { name: 'output_ids', datatype: 'INT32', shape: [1, 1, 1], data: PLACEHOLDER },
    { name: 'sequence_length', datatype: 'INT32', shape: [1, 1], data: uint32(1) },
  ],
  // The first ids are those of the bytes.
  ask: (prompt, tokens) => {
    const ids = Array.from(Buffer.from(prompt), uint32);
    return [
      { name: 'input_ids', datatype: 'INT32', shape: [1, ids.length], data: Buffer.concat(ids) },
      { name: 'input_lengths', datatype: 'INT32', shape: [1, 1], data: uint32(ids.length) },
      { name: 'request_output_len', datatype: 'INT32', shape: [1, 1], data: uint32(tokens) },
      { name: 'streaming', datatype: 'BOOL', shape: [1, 1], data: YES },
    ];
  },
};
