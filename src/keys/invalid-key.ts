import { ApiError } from '../errors.ts';

/** The refusal of whoever has no key, or not a right one. */
export function invalidKey(message: string): ApiError {
  return new ApiError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } });
}
