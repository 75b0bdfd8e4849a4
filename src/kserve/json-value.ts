import { StatusError } from './status.ts';

/**
 * JSON as the HTTP protocol needs it. Texts are binary strings, one character per byte, because tensors carry any bytes.
 * Integers and doubles are distinguished: an integer is a `number`, or a `bigint` if a double cannot represent it; a
 * double without a fraction is a `Double`.
 */
export type JsonValue = null | boolean | number | bigint | Double | string | readonly JsonValue[] | JsonObject;

/** The members in their order; of two with one name the first counts. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number that was written as a double and happens to be whole, or is not finite. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Whether a value is an object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Whether a value is an array. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A member of a value, if it is an object and has it. */
export function find(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) ? value.get(name) : undefined;
}

/** The bytes of a binary string. */
export function bytesOf(binary: string): Buffer {
  return Buffer.from(binary, 'latin1');
}

/** A binary string as a text. */
export function textOf(binary: string): string {
  return bytesOf(binary).toString();
}

/** A text as a binary string. */
export function binaryOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

// The errors below have Triton's wording, because clients match on it.

export function asString(value: JsonValue): string {
  if (typeof value !== 'string') throw accessError('attempt to access JSON non-string as string');
  return value;
}

export function asBoolean(value: JsonValue): boolean {
  if (typeof value !== 'boolean') throw accessError('attempt to access JSON non-boolean as boolean');
  return value;
}

export function asSigned(value: JsonValue): number | bigint {
  if (!isSigned(value)) throw accessError('attempt to access JSON non-signed-integer as signed-integer');
  return value;
}

export function asUnsigned(value: JsonValue): number | bigint {
  if (!isUnsigned(value)) throw accessError('attempt to access JSON non-unsigned-integer as unsigned-integer');
  return value;
}

export function asNumber(value: JsonValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  throw accessError('attempt to access JSON non-number as double');
}

/** The members of an object. */
export function asMembers(value: JsonValue): JsonObject {
  if (!isObject(value)) throw accessError('attempt to get members for non-object');
  return value;
}

export function member(value: JsonValue, name: string): JsonValue {
  const found = find(value, name);
  if (found === undefined) throw accessError(`attempt to access non-existing object member '${name}'`);
  return found;
}

export function memberArray(value: JsonValue, name: string): readonly JsonValue[] {
  const found = member(value, name);
  if (!isArray(found)) throw accessError('attempt to access JSON non-array as array');
  return found;
}

export function memberObject(value: JsonValue, name: string): JsonObject {
  const found = member(value, name);
  if (!isObject(found)) throw accessError('attempt to access JSON non-object as object');
  return found;
}

/** Whether a value is a whole number of 64 bits with a sign. */
export function isSigned(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' ? value <= largestSigned : Number.isInteger(value);
}

/** Runs an action; adds a prefix to the message of its error, with the same code. */
export function prefixed<Result>(prefix: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new StatusError(error.code, `${prefix}: ${error.message}`);
  }
}

const largestSigned = 2n ** 63n - 1n;

/** A `bigint` is never less than -2^63 or more than 2^64 - 1: the parser returns those as doubles. */
function isUnsigned(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' ? value >= 0n : Number.isInteger(value) && (value as number) >= 0;
}

function accessError(message: string): StatusError {
  return new StatusError('INTERNAL', message);
}
