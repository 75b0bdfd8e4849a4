import { ApiError } from '../errors.ts';

/** The path of a value in a schema: a chain up to the root, formatted only for an error. */
export interface Place {
  readonly parent: Place | undefined;
  /** The request field for the root, otherwise the key or index in the parent. */
  readonly key: string | number;
}

const longestKey = 64;

/** `response_format.json_schema.schema.properties.x.type`. Keys come from the client, so they are shortened. */
export function placeText(place: Place): string {
  const parts: string[] = [];
  for (let at: Place | undefined = place; at; at = at.parent) {
    if (typeof at.key === 'number') parts.push(`[${at.key}]`);
    else parts.push((at.parent ? '.' : '') + (at.key.length > longestKey ? `${at.key.slice(0, longestKey)}…` : at.key));
  }
  return parts.toReversed().join('');
}

/** A 400 that names a path in a schema. */
export function schemaFault(
  place: Place,
  message: string,
  code: 'invalid_request' | 'unsupported_parameter' = 'invalid_request',
): ApiError {
  const param = placeText(place);
  return new ApiError(code, `${param}: ${message}`, { param });
}
