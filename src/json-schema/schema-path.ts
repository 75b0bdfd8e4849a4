import { ApiError } from '../errors.ts';

/** The path of a value in a schema: a chain up to the root, formatted only for an error. */
export interface SchemaPath {
  readonly parent: SchemaPath | undefined;
  /** The request field for the root, otherwise the key or index in the parent. */
  readonly key: string | number;
}

const longestKey = 64;

/** `response_format.json_schema.schema.properties.x.type`. Keys come from the client, so they are shortened. */
export function pathText(path: SchemaPath): string {
  const parts: string[] = [];
  for (let at: SchemaPath | undefined = path; at; at = at.parent) {
    if (typeof at.key === 'number') parts.push(`[${at.key}]`);
    else parts.push((at.parent ? '.' : '') + (at.key.length > longestKey ? `${at.key.slice(0, longestKey)}…` : at.key));
  }
  return parts.toReversed().join('');
}

/** A 400 that names a path in a schema. */
export function schemaError(
  path: SchemaPath,
  message: string,
  code: 'invalid_request' | 'unsupported_parameter' = 'invalid_request',
): ApiError {
  const param = pathText(path);
  return new ApiError(code, `${param}: ${message}`, { param });
}
