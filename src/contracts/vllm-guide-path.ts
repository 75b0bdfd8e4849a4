import { ApiError } from '../errors.ts';
import { referenceKeys } from '../json-schema/references.ts';

const longestKey = 64;

/** The path of a member. Names come from the client, so long ones are cut. */
export function memberPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return `${path}.${key.length > longestKey ? `${key.slice(0, longestKey)}…` : key}`;
}

/** The path of a reference's target in the request. */
export function pathOfReference(path: string, reference: string): string {
  let text = path;
  for (const key of referenceKeys(reference) ?? []) text = memberPath(text, /^\d+$/.test(key) ? Number(key) : key);
  return text;
}

/** The 400 that names a path in a guide. */
export function guideError(path: string, message: string): ApiError {
  return new ApiError('invalid_request', `${path}: ${message}`, { param: path });
}

/** Whether a text has half of a surrogate pair, which UTF-8 cannot encode. */
export function hasHalfPair(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
