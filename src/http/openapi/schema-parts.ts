import type { JsonSchema } from './json-schema.ts';

/** Parts of response schemas. Responses may have members beyond those of the schema. */
export const text: JsonSchema = { type: 'string' };
export const whole: JsonSchema = { type: 'integer' };
export const number: JsonSchema = { type: 'number' };
export const flag: JsonSchema = { type: 'boolean' };
export const anything: JsonSchema = {};
export const anyObject: JsonSchema = { type: 'object' };

/** Always this text. */
export function constant(value: string | boolean): JsonSchema {
  return { const: value };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** An object with required and optional members. */
export function object(
  members: Readonly<Record<string, JsonSchema>>,
  rarer: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return { type: 'object', properties: { ...members, ...rarer }, required: Object.keys(members) };
}

/** Token counts as OpenAI names them. */
export const usage = object({ prompt_tokens: whole, total_tokens: whole }, { completion_tokens: whole });
