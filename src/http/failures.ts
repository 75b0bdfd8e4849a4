import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Fastify's own failures in our terms; everything else is an ApiError already, or unexpected. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code } = error as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'The body must be JSON, sent with "Content-Type: application/json".');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('request_too_large', 'The body is larger than this server takes (--http-max-input-size).');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new ApiError('invalid_json', 'The body is empty; it must be a JSON object.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('invalid_json', 'The body is not valid JSON.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('invalid_request', 'The body is not as long as its Content-Length says.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'The path of this request cannot be read.');
    default:
      break;
  }
  if (error instanceof SyntaxError && 'statusCode' in error) return new ApiError('invalid_json', 'The body is not valid JSON.');
  return ApiError.from(error);
}

/** The one place where a failure becomes an answer. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const fault = apiErrorOf(error);
  request.fault = fault;
  if (fault.retryAfter !== undefined) reply.header('retry-after', String(fault.retryAfter));
  reply.headers(fault.headers).code(fault.status).send(fault.body());
}
