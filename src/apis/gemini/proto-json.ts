import { ApiError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';

/** Fields whose values belong to the client: their keys are no field names. */
const clientValues: ReadonlySet<string> = new Set([
  'args',
  'labels',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
  'responseSchema',
]);

/** Lists that may also be a single value. */
const lists: ReadonlySet<string> = new Set([
  'contents',
  'parts',
  'tools',
  'functionDeclarations',
  'stopSequences',
  'allowedFunctionNames',
  'safetySettings',
  'requests',
]);

/**
 * A body in one spelling. Google reads JSON by the rules of protocol buffers: a field may be in snake_case, a list of one
 * value may be the value, and null means that a field is left out.
 */
export function oneSpelling(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item, at) => oneSpelling(item, `${path}[${at}]`));
  return isJsonObject(value) ? spelledObject(value, path) : value;
}

function spelledObject(value: JsonObject, path: string): JsonObject {
  const fields = new Map<string, unknown>();
  for (const [key, entry] of Object.entries(value)) {
    if (entry === null || entry === undefined) continue;
    const name = camelCase(key);
    const at = path === '' ? name : `${path}.${name}`;
    if (fields.has(name))
      throw new ApiError('invalid_request', `${at}: sent twice, in camelCase and in snake_case. Send it once.`, {
        param: at,
      });
    fields.set(name, fieldValue(name, entry, at));
  }
  return Object.fromEntries(fields);
}

function fieldValue(name: string, value: unknown, path: string): unknown {
  if (clientValues.has(name)) return value;
  const spelled = oneSpelling(value, path);
  return lists.has(name) && !Array.isArray(spelled) ? [spelled] : spelled;
}

/** `snake_case` as `snakeCase`. */
export function camelCase(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
