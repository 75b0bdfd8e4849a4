import { ApiError } from '../errors.ts';
import { failedPart, isSuspect } from '../kserve/engine-failure.ts';
import type { StatusError } from '../kserve/status.ts';

/** Seconds after which a failed engine may be back. */
export const engineRetryAfter = 10;

/** What a client is told whose request a failed engine did not complete; undefined: the error is of another kind. */
export function engineFailed(error: StatusError): ApiError | undefined {
  const part = failedPart(error);
  if (!part) return undefined;
  const failed = part === 'engine' ? 'The engine behind this model' : 'The backend process behind this model';
  return new ApiError('model_not_ready', `${failed} has failed.`, {
    retryAfter: engineRetryAfter,
    // The SDKs of OpenAI and Anthropic would send the request again, which may be what the engine failed of.
    ...(isSuspect(error) ? { isFinal: true } : {}),
  });
}
