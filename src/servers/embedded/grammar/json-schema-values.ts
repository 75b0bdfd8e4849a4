import { GrammarError } from './grammar-error.ts';
import { integerRange } from './integer-range.ts';
import { formats } from './json-rules.ts';
import { insideJson, regexGrammar } from './regex-grammar.ts';
import { keywordError, type Part } from './schema-part.ts';

const mostRepetitions = 2000;

/** The rule of a string with its limits. */
export function stringRule(parts: readonly Part[]): string {
  const pattern = single(parts, 'pattern');
  const format = single(parts, 'format', (value) => Object.hasOwn(formats, value));
  const shortest = highest(parts, 'minLength') ?? 0;
  const longest = lowest(parts, 'maxLength');
  const isBounded = shortest > 0 || longest !== undefined;
  const length = shortest > 0 ? 'minLength' : 'maxLength';
  if (pattern !== undefined && isBounded) throw keywordError(parts, length, 'is not supported together with pattern');
  if (format !== undefined && isBounded)
    throw keywordError(parts, length, `is not supported together with the format ${format}`);
  if (format !== undefined && pattern !== undefined)
    throw keywordError(parts, 'pattern', `is not supported together with the format ${format}`);
  if (pattern !== undefined) return patternRule(parts, pattern);
  if (format !== undefined) return `"\\x22" ${formats[format]} "\\x22"`;
  if (longest !== undefined && longest < shortest)
    throw keywordError(parts, 'maxLength', 'maxLength is less than minLength');
  return isBounded ? `"\\x22" character${times(shortest, longest)} "\\x22"` : 'string';
}

function patternRule(parts: readonly Part[], pattern: string): string {
  try {
    return `"\\x22" ${regexGrammar(pattern, insideJson)} "\\x22"`;
  } catch (error) {
    throw error instanceof GrammarError ? keywordError(parts, 'pattern', error.message) : error;
  }
}

/** The rule of an integer with its limits. */
export function integerRule(parts: readonly Part[]): string {
  const { least, most } = limits(parts);
  if (parts.some(({ schema: { multipleOf = 1 } }) => multipleOf !== 1))
    throw keywordError(parts, 'multipleOf', 'the keyword multipleOf is not supported');
  if (least === undefined && most === undefined) return 'integer';
  if (least !== undefined && most !== undefined && least > most)
    throw keywordError(parts, 'maximum', 'maximum is less than minimum');
  return integerRange(least, most);
}

/** The rule of a number with its limits. */
export function numberRule(parts: readonly Part[]): string {
  if (parts.some(({ schema }) => 'multipleOf' in schema))
    throw keywordError(parts, 'multipleOf', 'the keyword multipleOf is not supported');
  const { least, most } = limits(parts);
  if (least === undefined && most === undefined) return 'number';
  if (least !== undefined && most !== undefined && least > most)
    throw keywordError(parts, 'maximum', 'minimum and maximum with no integer between them are not supported');
  // A fraction moves a number away from zero, so the last whole number on either side has none.
  const rules = [integerRange(least, most)];
  const topmost = most === undefined ? undefined : most - 1;
  if (topmost === undefined || topmost >= Math.max(0, least ?? 0))
    rules.push(`${integerRange(Math.max(0, least ?? 0), topmost)} fraction`);
  const lowest = least === undefined ? undefined : least + 1;
  const upper = Math.min(-1, most ?? -1);
  if (lowest === undefined || lowest <= upper) rules.push(`${integerRange(lowest, upper)} fraction`);
  return `(${rules.join(' | ')})`;
}

/** The smallest and the largest integer within the limits. */
function limits(parts: readonly Part[]): { least: number | undefined; most: number | undefined } {
  const read = (key: string, whole: (value: number) => number): number[] =>
    valuesOf(parts, key).map((value) => {
      if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)
        throw keywordError(
          parts,
          key,
          `${key} must be a number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
        );
      return whole(value);
    });
  const low = [...read('minimum', Math.ceil), ...read('exclusiveMinimum', (value) => Math.floor(value) + 1)];
  const high = [...read('maximum', Math.floor), ...read('exclusiveMaximum', (value) => Math.ceil(value) - 1)];
  return {
    least: low.length > 0 ? Math.max(...low) : undefined,
    most: high.length > 0 ? Math.min(...high) : undefined,
  };
}

/** The highest value of a keyword that limits a count. */
export function highest(parts: readonly Part[], key: string): number | undefined {
  const counts = countsOf(parts, key);
  return counts.length > 0 ? Math.max(...counts) : undefined;
}

/** The lowest value of a keyword that limits a count. */
export function lowest(parts: readonly Part[], key: string): number | undefined {
  const counts = countsOf(parts, key);
  return counts.length > 0 ? Math.min(...counts) : undefined;
}

function countsOf(parts: readonly Part[], key: string): number[] {
  return valuesOf(parts, key).map((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
      throw keywordError(parts, key, `${key} must be an integer of at least 0`);
    if (value > mostRepetitions)
      throw keywordError(parts, key, `${key} must be at most ${mostRepetitions}, not ${value}`);
    return value;
  });
}

/** The value of a keyword, which must be the same in all schemas that have it. */
function single(parts: readonly Part[], key: string, counts?: (value: string) => boolean): string | undefined {
  const texts = valuesOf(parts, key).filter((value) => typeof value === 'string');
  const [first, ...others] = new Set(counts ? texts.filter(counts) : texts);
  if (others.length > 0)
    throw keywordError(parts, key, `different values of ${key} in schemas that must all match are not supported`);
  return first;
}

function valuesOf(parts: readonly Part[], key: string): unknown[] {
  return parts.filter(({ schema }) => schema[key] !== undefined).map(({ schema }) => schema[key]);
}

/** A quantifier. */
export function times(least: number, most: number | undefined): string {
  return most === undefined && least === 0 ? '*' : `{${least},${most ?? ''}}`;
}
