import type { GenerationContract } from '../contracts/contract.ts';
import { engineFailed } from '../contracts/engine-failed.ts';
import { ApiError, endedBy } from '../errors.ts';
import { ResponseTimeoutError } from '../kserve/response-timeout-error.ts';
import { wasRetried } from '../kserve/retried-errors.ts';
import { StatusError } from '../kserve/status.ts';
import type { Signal } from '../signal.ts';

/** What the error for the client depends on, besides the failure itself. */
export interface ErrorContext {
  readonly contract: Pick<GenerationContract, 'explain'>;
  /** The request fields for what contracts call `prompt` and `structured_outputs`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Aborted when the client disconnects, or something else ends the request. */
  readonly signal: Signal;
}

/** The error that the client gets for a failed generation. Its cause has the server's full text. */
export function generationError(error: unknown, { contract, fields, signal }: ErrorContext): ApiError {
  if (signal.aborted) return endedBy(signal, error);
  if (!(error instanceof StatusError)) return ApiError.from(error);
  const explained = engineFailed(error) ?? contract.explain(error);
  const apiError = explained ? withCause(explained, error, fields) : statusError(error);
  // Retries of clients would multiply those of Conch. An error that says when to try again is no result of the request.
  return wasRetried(error) && apiError.retryAfter === undefined ? apiError.asFinal() : apiError;
}

function statusError(error: StatusError): ApiError {
  const { message, code } = error;
  if (error.unreachable)
    return new ApiError('server_unreachable', 'The server of this model is unreachable.', {
      cause: error,
      retryAfter: 1,
    });
  if (message.includes('Exceeds maximum queue size'))
    return new ApiError('rate_limit_exceeded', 'The queue of this model is full. Try again later.', {
      cause: error,
      retryAfter: 1,
    });
  if (message.includes('Request timeout expired'))
    return new ApiError('deadline_exceeded', 'The request waited too long in the queue of this model.', {
      cause: error,
    });
  if (error instanceof ResponseTimeoutError)
    return new ApiError(
      'deadline_exceeded',
      error.awaited === 'first'
        ? 'The model did not start its response within the time limit for the first token.'
        : 'The model paused its response for longer than the time limit between tokens.',
      { cause: error },
    );
  if (code === 'DEADLINE_EXCEEDED')
    return new ApiError('deadline_exceeded', 'The response was not complete within the time limit.', { cause: error });
  if (code === 'NOT_FOUND' || /unknown model|has no available versions/.test(message))
    return new ApiError('model_not_found', 'The model is no longer on its server.', { cause: error, param: 'model' });
  if (code === 'UNAVAILABLE' || message.includes('is not at ready state'))
    return new ApiError('model_not_ready', 'The model is not ready on its server.', { cause: error, retryAfter: 2 });
  const text = cleanText(message);
  return new ApiError('backend_error', `The backend failed${text ? `: ${text}` : '.'}`, { cause: error });
}

function withCause(explained: ApiError, cause: StatusError, fields: ErrorContext['fields']): ApiError {
  const { param } = explained;
  return explained.renamed(param === null ? null : fieldOf(param, fields), { cause });
}

/** The field of the request; what follows in the name is a path within it. */
export function fieldOf(param: string, fields: ErrorContext['fields']): string {
  const [known] = Object.keys(fields)
    .filter((name) => param === name || (param.startsWith(name) && /[.[]/.test(param.charAt(name.length))))
    .toSorted((a, b) => b.length - a.length);
  return known === undefined ? param : `${fields[known]}${param.slice(known.length)}`;
}

const longestText = 300;

/** A server's text if a client may see it: one short line without paths, code or addresses; otherwise nothing. */
export function cleanText(text: string): string {
  const line = text
    .replace(/^Error generating stream: /, '')
    .replace(/^\[request id: [^\]]*\] /, '')
    .trim();
  const isUnclean = /[\n\r]|Traceback|\/\w+\/|[A-Za-z]:\\|\.py\b|0x[0-9a-f]{6,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|'NoneType'/;
  return line.length > longestText || isUnclean.test(line) ? '' : line;
}
