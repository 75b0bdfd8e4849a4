import { ApiError } from '../errors.ts';
import { referenceKeys } from '../json-schema/references.ts';

const longestKey = 64;

/** The path of a member. Names come from the client, so long ones are cut. */
export function within(place: string, key: string | number): string {
  if (typeof key === 'number') return `${place}[${key}]`;
  return `${place}.${key.length > longestKey ? `${key.slice(0, longestKey)}…` : key}`;
}

/** The path of a reference's target in the request. */
export function placeOfReference(place: string, reference: string): string {
  let text = place;
  for (const key of referenceKeys(reference) ?? []) text = within(text, /^\d+$/.test(key) ? Number(key) : key);
  return text;
}

/** The 400 that names a path in a guide. */
export function guideError(place: string, message: string): ApiError {
  return new ApiError('invalid_request', `${place}: ${message}`, { param: place });
}

/** Whether a text has half of a surrogate pair, which UTF-8 cannot encode. */
export function hasHalfPair(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
