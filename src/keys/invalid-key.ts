import { ApiError } from '../errors.ts';

/** The error for a missing or wrong API key. */
export function invalidKey(message: string): ApiError {
  return new ApiError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } });
}
