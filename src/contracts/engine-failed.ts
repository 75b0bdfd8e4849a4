import { ApiError } from '../errors.ts';
import { type FailedPart, failedPart, isSuspect } from '../kserve/engine-failure.ts';
import type { StatusError } from '../kserve/status.ts';

/** Seconds after which a failed engine may be back. */
export const engineRetryAfter = 10;

const messages: Readonly<Record<FailedPart, string>> = {
  engine: 'The engine behind this model has failed.',
  stub: 'The backend process behind this model has failed.',
};

/** The API error of a request that a failed engine did not complete; undefined for any other error. */
export function engineFailed(error: StatusError): ApiError | undefined {
  const part = failedPart(error);
  if (!part) return undefined;
  return new ApiError('model_not_ready', messages[part], {
    retryAfter: engineRetryAfter,
    // The SDKs of OpenAI and Anthropic would send the request again, which may be what the engine failed of.
    ...(isSuspect(error) ? { isFinal: true } : {}),
  });
}
