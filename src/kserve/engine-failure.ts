import { StatusError } from './status.ts';

/** What failed: the engine process behind a model, or Triton's Python process that runs the model. */
export type FailedPart = 'engine' | 'stub';

/**
 * The texts of a failed engine, as vLLM and Triton's Python backend write them. They are anchored, so that a text of
 * the request that an error repeats, such as an adapter's name, cannot be taken for one.
 */
const texts: readonly (readonly [RegExp, FailedPart])[] = [
  [/^(?:Error generating stream: )?EngineCore encountered an issue\. See stack trace/, 'engine'],
  [/^(?:Error generating stream: )?EngineDeadError\b/, 'engine'],
  [/^(?:Error generating stream: )?.{0,80}unhealthy vLLM engine/, 'engine'],
  [
    /^(?:Failed to process the request\(s\) for model(?: instance)? '[^']*', message: )?Stub process '[^']*' is not healthy/,
    'stub',
  ],
];

/** Which part of a model has failed, by the error of an inference; undefined where the error says nothing of that. */
export function failedPart(error: unknown): FailedPart | undefined {
  if (!(error instanceof StatusError) || error.unreachable) return undefined;
  return texts.find(([text]) => text.test(error.message))?.[1];
}
