import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../errors.ts';
import type { Api } from './api.ts';

/** Fastify's own failures in our terms. */
const foreign: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The body must be JSON, sent with "Content-Type: application/json".',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'request_too_large',
    'The body is larger than this server takes (--http-max-input-size).',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty; it must be a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as its Content-Length says.'],
  FST_ERR_BAD_URL: ['not_found', 'The path of this request cannot be read.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'The path of this request is too long.'],
};

/** Any failure of a request as an ApiError. */
function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = foreign[(error as Partial<FastifyError>).code ?? ''];
  if (known) return new ApiError(...known);
  if (error instanceof SyntaxError && 'statusCode' in error)
    return new ApiError('invalid_json', 'The body is not valid JSON.');
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  return statusCode < 500 ? new ApiError('invalid_request', message ?? '') : ApiError.from(error);
}

/** How the errors of an API look. */
export type ErrorShape = Pick<Api<never>, 'errorBody' | 'headers'>;

/** How errors look where no API says otherwise: as OpenAI's clients expect them. */
export const usualErrors: ErrorShape = { errorBody: (error) => error.body() };

/** Makes more of an error than what was thrown, for the request that it belongs to. */
export type ErrorSteps = (error: unknown, request: FastifyRequest) => unknown;

/** The error handler of an API. */
export function errorHandler(shape: ErrorShape, steps: ErrorSteps = (error) => error) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    sendFailure(steps(error, request), reply, shape);
}

/** The one place where a failure becomes an error response. */
export function sendFailure(error: unknown, reply: FastifyReply, { errorBody, headers }: ErrorShape): void {
  const { request } = reply;
  // A request that fails before it reaches its API has none of its headers yet.
  if (headers) reply.headers(headers(request.id));
  const fault = apiErrorOf(error);
  request.fault = fault;
  if (fault.retryAfter !== undefined) reply.header('retry-after', String(fault.retryAfter));
  // The header that OpenAI's and Anthropic's clients obey, whatever the status is.
  if (fault.isFinal) reply.header('x-should-retry', 'false');
  reply.headers(fault.headers).code(fault.status).send(errorBody(fault, request.id));
}
