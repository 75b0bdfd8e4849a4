/** The model `bench` as Triton's vLLM backend would serve it. Follows the recorded backend. */
import { CONTEXT_LENGTH, TEXT_BYTES, TOKEN_BYTES } from '../completion-text.mjs';
import { CALL_PROMPT, callBytes } from '../tool-call.mjs';
import { bytesTensor, PLACEHOLDER, textOf, uint32, YES } from './tensors.mjs';

/** @import { Accepted, Inputs, Model, TensorDescription } from './served-model.mjs' */

/** @type {TensorDescription[]} */
const INPUTS = [
  { name: 'text_input', type: 'BYTES', dims: [1], required: true },
  { name: 'image', type: 'BYTES', dims: [-1] },
  { name: 'stream', type: 'BOOL', dims: [1] },
  { name: 'sampling_parameters', type: 'BYTES', dims: [1] },
  { name: 'exclude_input_in_output', type: 'BOOL', dims: [1] },
  { name: 'return_finish_reason', type: 'BOOL', dims: [1] },
  { name: 'return_cumulative_logprob', type: 'BOOL', dims: [1] },
  { name: 'return_logprobs', type: 'BOOL', dims: [1] },
  { name: 'return_num_input_tokens', type: 'BOOL', dims: [1] },
  { name: 'return_num_output_tokens', type: 'BOOL', dims: [1] },
  { name: 'embedding_request', type: 'BYTES', dims: [1] },
];
/** @type {TensorDescription[]} */
const OUTPUTS = [
  { name: 'text_output', type: 'BYTES', dims: [-1] },
  { name: 'finish_reason', type: 'BYTES', dims: [-1] },
  { name: 'cumulative_logprob', type: 'FP32', dims: [-1] },
  { name: 'logprobs', type: 'BYTES', dims: [-1] },
  { name: 'num_input_tokens', type: 'UINT32', dims: [1] },
  { name: 'num_output_tokens', type: 'UINT32', dims: [-1] },
];

/**
 * @param {Inputs} inputs
 * @param {Set<string>} expected
 * @param {number} defaultTokens
 * @returns {Accepted | string}
 */
function read(inputs, expected, defaultTokens) {
  const prompt = textOf(inputs.get('text_input'));
  if (prompt === undefined) return 'text_input is missing, or not in raw_input_contents';
  if (inputs.get('exclude_input_in_output')?.[0] === 0)
    return 'When streaming, `exclude_input_in_output` = False is not supported.';
  const sampling = JSON.parse(textOf(inputs.get('sampling_parameters')) ?? '{}');
  const tokens = Math.min(Number(sampling.max_tokens ?? defaultTokens), CONTEXT_LENGTH);
  if (!(tokens >= 1)) return "Error generating stream: 'NoneType' object has no attribute 'lora_name'";
  const outputs = OUTPUTS.map(({ name }) => name).filter(
    (name) =>
      (expected.size === 0 || expected.has(name)) &&
      (name === 'text_output' || inputs.get(`return_${name}`)?.[0] === 1) &&
      name !== 'cumulative_logprob' &&
      name !== 'logprobs',
  );
  const request = { tokens, promptTokens: Math.ceil(prompt.length / TOKEN_BYTES), outputs };
  if (inputs.get('stream')?.[0] !== 1) return { ...request, tokens: 1, whole: tokens };
  return prompt.includes(CALL_PROMPT) ? { ...request, response: callBytes(tokens) } : request;
}

/** @type {Model} */
export const vllmModel = {
  platform: '',
  backend: 'vllm',
  batch: 0,
  inputs: INPUTS,
  outputs: OUTPUTS,
  tokens: TEXT_BYTES,
  read,
  respond: ({ promptTokens, response, whole }, final) => [
    {
      name: 'text_output',
      datatype: 'BYTES',
      shape: [1],
      data: bytesTensor(whole === undefined ? PLACEHOLDER : TEXT_BYTES.subarray(0, whole * TOKEN_BYTES)),
    },
    {
      name: 'finish_reason',
      datatype: 'BYTES',
      shape: [1],
      data: bytesTensor(final ? (response ? 'stop' : 'length') : 'None'),
    },
    { name: 'num_input_tokens', datatype: 'UINT32', shape: [], data: uint32(promptTokens) },
    { name: 'num_output_tokens', datatype: 'UINT32', shape: [1], data: uint32(whole ?? 1) },
  ],
  ask: (prompt, tokens) => [
    { name: 'text_input', datatype: 'BYTES', shape: [1], data: bytesTensor(prompt) },
    { name: 'stream', datatype: 'BOOL', shape: [1], data: YES },
    {
      name: 'sampling_parameters',
      datatype: 'BYTES',
      shape: [1],
      data: bytesTensor(JSON.stringify({ max_tokens: tokens })),
    },
    { name: 'return_finish_reason', datatype: 'BOOL', shape: [1], data: YES },
    { name: 'return_num_input_tokens', datatype: 'BOOL', shape: [1], data: YES },
    { name: 'return_num_output_tokens', datatype: 'BOOL', shape: [1], data: YES },
  ],
};
