import { StatusError } from './status.ts';

/** What failed: the engine process behind a model, or Triton's Python process that runs the model. */
export type FailedPart = 'engine' | 'stub';

/** What vLLM's backend says with ENABLE_VLLM_HEALTH_CHECK, before it unloads its model. */
const unhealthy = /^(?:Error generating stream: )?Model is unavailable due to unhealthy vLLM engine/;

/**
 * The texts of a failed engine, as vLLM and Triton's Python backend write them. They are anchored, so that a text of
 * the request that an error repeats, such as an adapter's name, cannot be taken for one.
 */
const texts: readonly (readonly [RegExp, FailedPart])[] = [
  [/^(?:Error generating stream: )?EngineCore encountered an issue\. See stack trace/, 'engine'],
  [/^(?:Error generating stream: )?EngineDeadError\b/, 'engine'],
  [unhealthy, 'engine'],
  // vLLM before its V1 engine.
  [/^(?:Error generating stream: )?Background loop (?:has errored already|is not running)\b/, 'engine'],
  [/^(?:Error generating stream: )?Engine loop is not running\. Inspect the/, 'engine'],
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

/** Whether a failure's text says that the backend unloads the model by itself, so that somebody has to load it again. */
export function unloadsModel(message: string): boolean {
  return unhealthy.test(message);
}

/** The errors of requests that may have made their engine fail. */
const suspects = new WeakSet<object>();

/** Notes that the request of this error ran on an engine when it failed, so it must not be sent again. */
export function markSuspect(error: object): void {
  suspects.add(error);
}

/** Whether the request of this error may have made its engine fail, so that it must not be sent again. */
export function isSuspect(error: unknown): boolean {
  return typeof error === 'object' && error !== null && suspects.has(error);
}
