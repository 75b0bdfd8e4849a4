import { ApiError } from '../errors.ts';

/** Where a value stands inside a schema: a chain up to its root, written out only when it is named in a fault. */
export interface Place {
  readonly parent: Place | undefined;
  /** The request field for the root; else the key or index within the parent. */
  readonly key: string | number;
}

const longestKey = 64;

/** `response_format.json_schema.schema.properties.x.type`. Keys come from the client, so they are cut. */
export function placeText(place: Place): string {
  const parts: string[] = [];
  for (let at: Place | undefined = place; at; at = at.parent) {
    if (typeof at.key === 'number') parts.push(`[${at.key}]`);
    else parts.push((at.parent ? '.' : '') + (at.key.length > longestKey ? `${at.key.slice(0, longestKey)}…` : at.key));
  }
  return parts.toReversed().join('');
}

/** The 400 that names a place in a schema. */
export function schemaFault(
  place: Place,
  message: string,
  code: 'invalid_request' | 'unsupported_parameter' = 'invalid_request',
): ApiError {
  const param = placeText(place);
  return new ApiError(code, `${param}: ${message}`, { param });
}
