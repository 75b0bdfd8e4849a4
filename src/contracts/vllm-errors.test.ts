import { expect, it } from 'vitest';
import { StatusError } from '../kserve/status.ts';
import { explainVllm } from './vllm-errors.ts';

const lengths = 'is longer than the maximum model length of';
const atLeast = 'plus the number of requested output tokens (at least 1)';
const tooLong = (length: number, limit: number) => [
  'context_length_exceeded',
  'prompt',
  `This model's maximum context length is ${limit} tokens. The prompt has ${length}. Shorten it.`,
];

it.each([
  [`Error generating stream: The decoder prompt (length 1101) ${lengths} 1024. Make sure …`, tooLong(1101, 1024)],
  [`Error generating stream: The decoder prompt (length 8) ${atLeast} ${lengths} 8. Make …`, tooLong(8, 8)],
  ['The decoder prompt cannot be empty', ['invalid_request', 'prompt', 'The prompt must not be empty.']],
  [
    'Requested sample logprobs of 20, which is greater than max allowed: 5',
    ['invalid_request', 'top_logprobs', 'This model returns at most 5 logprobs per token, not 20.'],
  ],
  [
    'Error generating stream: At most 0 image(s) may be provided in one prompt.',
    ['invalid_request', 'prompt', 'This model takes no images.'],
  ],
  [
    'At most 2 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase this limit.',
    ['invalid_request', 'prompt', 'This model takes at most 2 images with one prompt.'],
  ],
  [
    'Error generating stream: m is not a multimodal model',
    ['invalid_request', 'prompt', 'This model takes no images.'],
  ],
  [
    'Error generating stream: cannot identify image file <_io.BytesIO object at 0x7f>',
    ['invalid_request', 'prompt', 'The backend cannot read an image of this request.'],
  ],
  ['LoRA feature is not enabled.', ['model_not_found', 'model', 'This model was loaded without LoRA adapters.']],
  [
    "LoRA zzz is not supported, we currently support ['lora_a', 'lora_b']",
    ['model_not_found', 'model', 'This model has no LoRA adapter named zzz. It has: lora_a, lora_b.'],
  ],
  [
    "Error generating stream: Model m does not support 'generate' request",
    ['invalid_request', 'model', 'This model makes embeddings; it does not generate text.'],
  ],
  [
    "Error generating stream: 'NoneType' object has no attribute 'lora_name'",
    ['backend_error', null, 'The backend refused a sampling parameter; its own log has the reason.'],
  ],
  [
    'Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.',
    ['model_not_ready', null, 'The engine behind this model has failed.'],
  ],
])('%s', (text, expected) => {
  const { code, param, message } = explainVllm(new StatusError('UNKNOWN', text)) ?? {};
  expect([code, param, message]).toEqual(expected);
});

it('explains nothing that it does not know', () => {
  expect(explainVllm(new StatusError('UNKNOWN', 'something else'))).toBeUndefined();
});
