import { StatusError } from './status.ts';

/** What failed: the engine process behind a model, or Triton's Python process that runs the model. */
export type FailedPart = 'engine' | 'stub';

/** The error of vLLM's backend and of Conch's own model with ENABLE_VLLM_HEALTH_CHECK, before it unloads its model. */
const unhealthy =
  /^(?:(?:Error generating stream: )?Model is unavailable due to unhealthy vLLM engine|Engine unavailable: the model is being unloaded,)/;

/**
 * The errors of a failed engine, as vLLM, Triton's Python backend and Conch's own model write them. They are anchored,
 * so that text of the request in an error, for example the name of an adapter, does not match.
 */
const texts: readonly (readonly [RegExp, FailedPart])[] = [
  [/^(?:Error generating stream: )?EngineCore encountered an issue\. See stack trace/, 'engine'],
  [/^(?:Error generating stream: )?EngineDeadError\b/, 'engine'],
  [unhealthy, 'engine'],
  [/^Engine unavailable: (?!the model is being unloaded\.$)/, 'engine'],
  // vLLM before its V1 engine.
  [/^(?:Error generating stream: )?Background loop (?:has errored already|is not running)\b/, 'engine'],
  [/^(?:Error generating stream: )?Engine loop is not running\. Inspect the/, 'engine'],
  [
    /^(?:Failed to process the request\(s\) for model(?: instance)? '[^']*', message: )?Stub process '[^']*' is not healthy/,
    'stub',
  ],
];

/** The part of a model that has failed, by the error of an inference; undefined for other errors. */
export function failedPart(error: unknown): FailedPart | undefined {
  if (!(error instanceof StatusError) || error.unreachable) return undefined;
  return texts.find(([text]) => text.test(error.message))?.[1];
}

/** Whether the backend unloads the model by itself after this error, so that it has to be loaded again. */
export function unloadsModel(message: string): boolean {
  return unhealthy.test(message);
}

/** The errors of requests that may have made their engine fail. */
const suspects = new WeakSet<object>();

/** Marks the error of a request that ran on an engine when it failed, so that it is not sent again. */
export function markSuspect(error: object): void {
  suspects.add(error);
}

/** Whether the request of this error may have made its engine fail, so that it must not be sent again. */
export function isSuspect(error: unknown): boolean {
  return typeof error === 'object' && error !== null && suspects.has(error);
}
