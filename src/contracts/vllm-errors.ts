import { ApiError } from '../errors.ts';
import type { StatusError } from '../kserve/status.ts';
import { engineFailed } from './engine-failed.ts';
import { guideRefusal } from './guide-refusal.ts';
import { contextExceeded } from './prompt-overflow.ts';
import { unknownAdapter } from './unknown-adapter.ts';
import { vllmMismatch } from './vllm-mismatch.ts';

const noAdapters = /LoRA feature is not enabled/;
const unsupportedAdapter = /LoRA (.+?) is not supported, we currently support \[(.*)\]/s;

/** What the error texts of vLLM and its Triton backend mean, by a part of each. */
const meanings: readonly (readonly [RegExp, (match: RegExpExecArray) => ApiError])[] = [
  [
    /prompt \(length (\d+)\)(?: plus the number of requested output tokens \(at least 1\))? is longer than the maximum model length of (\d+)/i,
    ([, length, limit]) => contextExceeded({ promptTokens: Number(length), limit: Number(limit) }, 'prompt'),
  ],
  [
    /prompt cannot be empty/i,
    () => new ApiError('invalid_request', 'The prompt must not be empty.', { param: 'prompt' }),
  ],
  [
    /Requested sample logprobs of (\d+), which is greater than max allowed: (\d+)/,
    ([, count, limit]) =>
      new ApiError('invalid_request', `This model returns at most ${limit} logprobs per token, not ${count}.`, {
        param: 'top_logprobs',
      }),
  ],
  [
    /At most (\d+) image\(?s?\)? may be provided in one prompt/,
    ([, limit]) =>
      new ApiError(
        'invalid_request',
        limit === '0' ? 'This model takes no images.' : `This model takes at most ${limit} images with one prompt.`,
        { param: 'prompt' },
      ),
  ],
  [
    /is not a multimodal model|does not support multimodal inputs/i,
    () => new ApiError('invalid_request', 'This model takes no images.', { param: 'prompt' }),
  ],
  [
    /cannot identify image file|image file is truncated|broken (?:PNG|data stream)/i,
    () => new ApiError('invalid_request', 'The backend cannot read an image of this request.', { param: 'prompt' }),
  ],
  [
    noAdapters,
    () => new ApiError('model_not_found', 'This model was loaded without LoRA adapters.', { param: 'model' }),
  ],
  [unsupportedAdapter, ([, name = '', list = '']) => unknownAdapter(name, listedNames(list))],
  [
    /does not support '(generate|embed)' request/,
    ([, task]) =>
      new ApiError(
        'invalid_request',
        task === 'generate'
          ? 'This model makes embeddings; it does not generate text.'
          : 'This model makes no embeddings.',
        { param: 'model' },
      ),
  ],
  [
    // The embedded engine names the parameter that it refuses.
    /^sampling_parameters\.(\w+(?:[.[].*?)?): (.+)$/s,
    ([, name = '', reason]) => new ApiError('invalid_request', `${name}: ${reason}`, { param: name }),
  ],
  [
    /'NoneType' object has no attribute 'lora_name'/,
    () => new ApiError('backend_error', 'The backend refused a sampling parameter; its own log has the reason.'),
  ],
];

/** The adapters of a model, from its error about one that it does not have. */
export function namedAdapters({ message }: StatusError): readonly string[] | undefined {
  if (noAdapters.test(message)) return [];
  const list = unsupportedAdapter.exec(message)?.[2];
  return list === undefined ? undefined : listedNames(list);
}

/** The texts of a list as Python shows it. */
function listedNames(list: string): readonly string[] {
  const names = list.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs);
  return [...names].map(([, single, double]) => (single ?? double ?? '').replaceAll(/\\(['"\\])/g, '$1'));
}

/** The client's view of an error text of the vLLM backend. */
export function explainVllm(error: StatusError): ApiError | undefined {
  const { message } = error;
  // A refusal quotes the guide, and the guide may contain any other error text.
  const apiError = engineFailed(error) ?? guideRefusal(message);
  if (apiError) return apiError;
  // This text quotes a name from the client, which may contain any other error text.
  const adapter = unsupportedAdapter.exec(message);
  if (adapter?.index === 0) return unknownAdapter(adapter[1] ?? '', listedNames(adapter[2] ?? ''));
  for (const [pattern, meaning] of meanings) {
    const match = pattern.exec(message);
    if (match) return meaning(match);
  }
  const advice = vllmMismatch(message);
  if (advice !== undefined) return new ApiError('backend_error', `The backend failed: ${advice}.`);
  return guideRefusal(message, { isAnywhere: true });
}
