import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../errors.ts';
import type { Api } from './api.ts';

/** Fastify's errors as codes and messages of Conch. */
const foreign: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Request body must be JSON, sent with "Content-Type: application/json".',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'request_too_large',
    'Request body is too large: the limit is set by --http-max-input-size.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'Request body is empty. Send a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'Request body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Request body does not match its Content-Length.'],
  FST_ERR_BAD_URL: ['not_found', 'Invalid URL: the path cannot be decoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'Invalid URL: the path is too long.'],
};

/** Converts any error of a request to an ApiError. */
function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = foreign[(error as Partial<FastifyError>).code ?? ''];
  if (known) return new ApiError(...known);
  if (error instanceof SyntaxError && 'statusCode' in error)
    return new ApiError('invalid_json', 'Request body is not valid JSON.');
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  return statusCode < 500 ? new ApiError('invalid_request', message ?? '') : ApiError.from(error);
}

/** The error body and headers of an API. */
export type ErrorShape = Pick<Api<never>, 'errorBody' | 'headers'>;

/** The default errors: OpenAI's. */
export const defaultErrors: ErrorShape = { errorBody: (error) => error.body() };

/** Adds details to an error, from the request that failed. */
export type ErrorSteps = (error: unknown, request: FastifyRequest) => unknown;

/** The error handler of an API. */
export function errorHandler(shape: ErrorShape, steps: ErrorSteps = (error) => error) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    sendFailure(steps(error, request), reply, shape);
}

/** Sends an error response. The only function that does. */
export function sendFailure(error: unknown, reply: FastifyReply, { errorBody, headers }: ErrorShape): void {
  const { request } = reply;
  // A request that fails before it reaches its API does not have the API's headers yet.
  if (headers) reply.headers(headers(request.id));
  const apiError = apiErrorOf(error);
  request.error = apiError;
  if (apiError.retryAfter !== undefined) reply.header('retry-after', String(apiError.retryAfter));
  // OpenAI's and Anthropic's clients follow this header regardless of the status.
  if (isLasting(apiError)) reply.header('x-should-retry', 'false');
  reply.headers(apiError.headers).code(apiError.status).send(errorBody(apiError, request.id));
}

/** Statuses below 500 of errors that may go away: the same request can succeed later. */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 429]);

/** Whether the same request would fail again. Claude Code retries even a wrong key, unless it knows. */
function isLasting({ isFinal, status, retryAfter }: ApiError): boolean {
  return isFinal || (status < 500 && retryAfter === undefined && !passingStatuses.has(status));
}
