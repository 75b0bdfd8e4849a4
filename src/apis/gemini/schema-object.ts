import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { camelCase } from './proto-json.ts';

/**
 * Translates a schema of Google's API to a JSON schema. Google's format is a subset of OpenAPI 3.0: types are in upper
 * case, and `nullable` is a field. `propertyOrdering` sets the order in which the model writes the properties.
 */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const source = Object.fromEntries(Object.entries(schema).map(([name, value]) => [camelCase(name), value]));
  const { type, nullable, propertyOrdering, example, properties, ...others } = source;
  const translated: Record<string, unknown> = {};
  const typeName = typeOf(type);
  if (typeName !== undefined) translated['type'] = typeName;
  if (isJsonObject(properties)) translated['properties'] = orderedProperties(properties, propertyOrdering);
  else if (properties !== undefined) translated['properties'] = properties;
  for (const [name, value] of Object.entries(others)) if (value !== null) translated[name] = keywordOf(name, value);
  if (example !== undefined) translated['examples'] = [example];
  return nullable === true ? orNull(translated) : translated;
}

/** Keywords with integers, which protocol buffers write as strings. */
const integers: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

function keywordOf(name: string, value: unknown): unknown {
  if (integers.has(name)) return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (name === 'items' || name === 'additionalProperties') return innerSchema(value);
  if (name === 'anyOf' || name === 'prefixItems') return Array.isArray(value) ? value.map(innerSchema) : value;
  if (name === '$defs' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, innerSchema(inner)]));
  return value;
}

/** A nested schema; other values stay as they are, and the check of the JSON schema names them. */
function innerSchema(value: unknown): unknown {
  return isJsonObject(value) ? jsonSchemaOf(value) : value;
}

function typeOf(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(typeOf);
  if (typeof type !== 'string') return type;
  return type === 'TYPE_UNSPECIFIED' ? undefined : type.toLowerCase();
}

function orderedProperties(properties: JsonObject, ordering: unknown): JsonObject {
  const names = Array.isArray(ordering) ? ordering.filter((name) => Object.hasOwn(properties, String(name))) : [];
  const order = new Set([...names.map(String), ...Object.keys(properties)]);
  return Object.fromEntries([...order].map((name) => [name, innerSchema(properties[name])]));
}

function orNull(schema: Record<string, unknown>): JsonObject {
  const { type, enum: values, anyOf } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
  };
}
