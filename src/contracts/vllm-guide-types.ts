import { ApiError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import type { WrittenPattern } from '../patterns/write-pattern.ts';
import { guideError, hasHalfPair, memberPath } from './vllm-guide-path.ts';
import { writeStringPattern } from './vllm-guide-pattern.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What writes the schemas inside a schema. */
export interface InnerWriter {
  /** Set to false where something is left to the check of the response. */
  isExact: boolean;
  /** Undefined where no value satisfies it. */
  write(schema: unknown, path: string): Json | undefined;
  /** Refuses a schema whose patterns are too long together. */
  readsPattern(length: number): void;
  /** Refuses a schema with too many optional properties. */
  writesOptional(count: number): void;
}

interface TypeContext {
  readonly writer: InnerWriter;
  readonly path: string;
}

/** What a schema says about values of one type; undefined where none satisfies it. */
export function writeTyped(type: string, schema: Json, context: TypeContext): Json | undefined {
  switch (type) {
    case 'string':
      return writeString(schema, context);
    case 'integer':
      return writeInteger(schema, context);
    case 'number':
      return writeNumber(schema, context);
    case 'array':
      return writeArray(schema, context);
    case 'object':
      return writeObject(schema, context);
    default:
      return { type };
  }
}

/** The formats that both libraries support; in the standard, formats are annotations. */
const sharedFormats = new Set('email date time date-time duration ipv4 ipv6 hostname uuid'.split(' '));

/** xgrammar takes one of pattern, format and length. The most telling one guides, the others are checked. */
function writeString({ pattern, format, minLength, maxLength }: Json, { writer, path }: TypeContext): Json {
  const least = minLength === 0 ? undefined : minLength;
  const hasLength = least !== undefined || maxLength !== undefined;
  const isShared = typeof format === 'string' && sharedFormats.has(format);
  if (typeof pattern === 'string') {
    writer.readsPattern(pattern.length);
    const written = isShared ? writtenPattern(pattern) : writeStringPattern(pattern, memberPath(path, 'pattern'));
    if (!written?.isExact || hasLength) writer.isExact = false;
    return written ? { type: 'string', pattern: written.text } : { type: 'string', format };
  }
  if (isShared) {
    if (hasLength) writer.isExact = false;
    return { type: 'string', format };
  }
  const limits = writtenLimits({ least: minLength, most: maxLength, bound: mostCharacters }, writer);
  return { type: 'string', ...defined({ minLength: limits.least, maxLength: limits.most }) };
}

/**
 * The longest strings and lists that a guide requires. Beyond that llguidance refuses the guide or uses up all memory, which
 * ends the engine.
 */
const mostCharacters = 1_000_000;
const mostItems = 2000;

interface SizeLimits {
  readonly least: unknown;
  readonly most: unknown;
  readonly bound: number;
}

/** Limits of a size as the guide has them; what is beyond the bound is left to the check of the response. */
function writtenLimits({ least = 0, most = Infinity, bound }: SizeLimits, writer: InnerWriter) {
  const [from, to] = [Number(least), Number(most)];
  if (from > bound || (to > bound && to !== Infinity)) writer.isExact = false;
  return { least: from === 0 ? undefined : Math.min(from, bound), most: to > bound ? undefined : to };
}

/** Undefined where it cannot be written: the format beside it guides then. Zod's pattern of an email has look-ahead. */
function writtenPattern(pattern: string): WrittenPattern | undefined {
  try {
    return writeStringPattern(pattern, 'pattern');
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function writeInteger(schema: Json, { writer }: TypeContext): Json | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>;
  const least = Math.max(Math.ceil(minimum ?? -Infinity), Math.floor(exclusiveMinimum ?? -Infinity) + 1);
  const most = Math.min(Math.floor(maximum ?? Infinity), Math.ceil(exclusiveMaximum ?? Infinity) - 1);
  if (least > most) return undefined;
  const isWritten = [least, most].every((bound) => Number.isSafeInteger(bound) || !Number.isFinite(bound));
  if (!isWritten || (multipleOf !== undefined && multipleOf !== 1)) writer.isExact = false;
  return {
    type: 'integer',
    ...(Number.isSafeInteger(least) ? { minimum: least } : {}),
    ...(Number.isSafeInteger(most) ? { maximum: most } : {}),
  };
}

/** Bounds that xgrammar can write as digits. */
const smallestBound = 1e-6;
const largestBound = 1e12;

function writeNumber(schema: Json, { writer }: TypeContext): Json | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>;
  const least = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  const most = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
  if (least > most) return undefined;
  // xgrammar takes some numbers just beyond a bound.
  if (Number.isFinite(least) || Number.isFinite(most) || multipleOf !== undefined) writer.isExact = false;
  const isWritten = (bound: number): boolean =>
    bound === 0 || (Math.abs(bound) >= smallestBound && Math.abs(bound) <= largestBound);
  return {
    type: 'number',
    ...(isWritten(least) ? { minimum: least } : {}),
    ...(isWritten(most) ? { maximum: most } : {}),
  };
}

function writeArray(schema: Json, { writer, path }: TypeContext): Json | undefined {
  const { minItems, maxItems = Infinity } = schema as Record<string, number>;
  const { first, firstPath, others, othersPath } = itemsOf(schema, path);
  const prefixItems: Json[] = [];
  for (const [at, item] of first.entries()) {
    const written = at < maxItems ? writer.write(item, memberPath(firstPath, at)) : undefined;
    if (!written) break;
    prefixItems.push(written);
  }
  const isCut = prefixItems.length < first.length;
  const items = isCut ? undefined : writer.write(others, othersPath);
  // Without items after the first ones, there are as many as those.
  if (!items && (minItems ?? 0) > prefixItems.length) return undefined;
  if (!items && prefixItems.length === 0) return { type: 'array', items: {}, maxItems: 0 };
  const { least, most } = writtenLimits({ least: minItems, most: maxItems, bound: mostItems }, writer);
  return {
    type: 'array',
    ...(prefixItems.length > 0 ? { prefixItems } : {}),
    items: items ?? false,
    ...(items ? defined({ minItems: least, maxItems: most }) : {}),
  };
}

/** The schemas of the first items, and that of the others; older drafts have the first ones in `items`. */
function itemsOf({ items, prefixItems, additionalItems, unevaluatedItems }: Json, path: string) {
  if (Array.isArray(items))
    return {
      first: items as readonly unknown[],
      firstPath: memberPath(path, 'items'),
      others: additionalItems ?? true,
      othersPath: memberPath(path, 'additionalItems'),
    };
  const othersKey = items === undefined ? 'unevaluatedItems' : 'items';
  return {
    first: (prefixItems ?? []) as readonly unknown[],
    firstPath: memberPath(path, 'prefixItems'),
    others: items ?? unevaluatedItems ?? true,
    othersPath: memberPath(path, othersKey),
  };
}

/** JSON writes these with a backslash, which xgrammar does not do in the names of properties. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const escapedName = /["\\\u0000-\u001f]/;

function writeObject(schema: Json, { writer, path }: TypeContext): Json | undefined {
  const own = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const others = othersOf(schema, path, { writer, isOpen: Object.keys(own).length === 0 });
  const properties = new Map<string, Json>();
  for (const [name, property] of Object.entries(own)) {
    checkName(name, memberPath(path, 'properties'));
    const written = writer.write(property, memberPath(memberPath(path, 'properties'), name));
    if (written) properties.set(name, written);
    else if (required.has(name)) return undefined;
  }
  for (const name of required) {
    if (properties.has(name)) continue;
    checkName(name, memberPath(path, 'required'));
    // A property that is only required has the schema of the additional ones.
    const additional = schema['additionalProperties'] === undefined ? {} : others;
    if (!additional) return undefined;
    properties.set(name, additional);
  }
  writer.writesOptional(properties.size - required.size);
  // xgrammar takes a property that is named for an additional one too.
  if (others && properties.size > 0) writer.isExact = false;
  checkCounts(schema, { writer, required: required.size, most: others ? Infinity : properties.size });
  if (properties.size === 0 && others && Object.keys(others).length === 0) return { type: 'object' };
  return {
    type: 'object',
    ...(properties.size > 0 || !others ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.size > 0 ? { required: [...required] } : {}),
    additionalProperties: others ?? false,
  };
}

/** The schema of properties that are not named. Left out, it is for objects without named ones: xgrammar does so. */
function othersOf(
  schema: Json,
  path: string,
  { writer, isOpen }: { readonly writer: InnerWriter; readonly isOpen: boolean },
): Json | undefined {
  const { additionalProperties, unevaluatedProperties } = schema;
  if (additionalProperties !== undefined)
    return writer.write(additionalProperties, memberPath(path, 'additionalProperties'));
  if (unevaluatedProperties !== undefined)
    return writer.write(unevaluatedProperties, memberPath(path, 'unevaluatedProperties'));
  return isOpen ? {} : undefined;
}

interface PropertyCounts {
  readonly writer: InnerWriter;
  readonly required: number;
  readonly most: number;
}

/** Limits that the written schema does not enforce are left to the check of the response. */
function checkCounts({ minProperties, maxProperties }: Json, { writer, required, most }: PropertyCounts): void {
  if (typeof minProperties === 'number' && minProperties > required) writer.isExact = false;
  if (typeof maxProperties === 'number' && maxProperties < most) writer.isExact = false;
}

function checkName(name: string, path: string): void {
  if (escapedName.test(name) || hasHalfPair(name))
    throw guideError(
      path,
      `the name ${JSON.stringify(name.slice(0, 64))} has a quotation mark, a backslash or a control character, ` +
        'which this backend does not support in names of properties.',
    );
}

function defined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
