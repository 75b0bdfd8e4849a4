import { integerRange } from './integer-range.ts';
import { formats } from './json-rules.ts';
import { GrammarError, insideJson, regexGrammar } from './regex-grammar.ts';

/** A JSON schema that is not just a boolean. */
export type Schema = Readonly<Record<string, unknown>>;

const mostRepetitions = 2000;

/** The rule of a text with its bounds. */
export function stringRule(schema: Schema): string {
  const { pattern, format } = schema;
  const least = bound(schema, 'minLength') ?? 0;
  const most = bound(schema, 'maxLength');
  if (typeof pattern === 'string') {
    if (least > 0 || most !== undefined)
      throw new GrammarError('pattern together with minLength or maxLength is not supported');
    return `"\\x22" ${regexGrammar(pattern, insideJson)} "\\x22"`;
  }
  if (typeof format === 'string' && formats[format] !== undefined) return `"\\x22" ${formats[format]} "\\x22"`;
  if (most !== undefined && most < least) throw new GrammarError('maxLength is less than minLength');
  return least === 0 && most === undefined ? 'string' : `"\\x22" character${times(least, most)} "\\x22"`;
}

/** The rule of a whole number with its bounds. */
export function integerRule(schema: Schema): string {
  const { least, most } = limits(schema);
  if (schema['multipleOf'] !== undefined && schema['multipleOf'] !== 1)
    throw new GrammarError('the keyword multipleOf is not supported');
  if (least === undefined && most === undefined) return 'integer';
  if (least !== undefined && most !== undefined && least > most) throw new GrammarError('maximum is less than minimum');
  return integerRange(least, most);
}

/** The rule of a number with its bounds. */
export function numberRule(schema: Schema): string {
  if ('multipleOf' in schema) throw new GrammarError('the keyword multipleOf is not supported');
  const { least, most } = limits(schema);
  if (least === undefined && most === undefined) return 'number';
  if (least !== undefined && most !== undefined && least > most)
    throw new GrammarError('minimum and maximum leave no whole number between them, which is not supported');
  // A fraction takes a number away from zero, so the last whole number on either side goes without.
  const parts = [integerRange(least, most)];
  const topmost = most === undefined ? undefined : most - 1;
  if (topmost === undefined || topmost >= Math.max(0, least ?? 0))
    parts.push(`${integerRange(Math.max(0, least ?? 0), topmost)} fraction`);
  const lowest = least === undefined ? undefined : least + 1;
  const upper = Math.min(-1, most ?? -1);
  if (lowest === undefined || lowest <= upper) parts.push(`${integerRange(lowest, upper)} fraction`);
  return `(${parts.join(' | ')})`;
}

/** The least and the most whole number that the bounds allow. */
function limits(schema: Schema): { least: number | undefined; most: number | undefined } {
  const read = (key: string): number | undefined => {
    const value = schema[key];
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)
      throw new GrammarError(`${key} is not a number that can be used`);
    return value;
  };
  const [minimum, above, maximum, below] = [
    read('minimum'),
    read('exclusiveMinimum'),
    read('maximum'),
    read('exclusiveMaximum'),
  ];
  const lows = [
    minimum === undefined ? undefined : Math.ceil(minimum),
    above === undefined ? undefined : Math.floor(above) + 1,
  ];
  const highs = [
    maximum === undefined ? undefined : Math.floor(maximum),
    below === undefined ? undefined : Math.ceil(below) - 1,
  ];
  const isKnown = (value: number | undefined): value is number => value !== undefined;
  const low = lows.filter(isKnown);
  const high = highs.filter(isKnown);
  return {
    least: low.length > 0 ? Math.max(...low) : undefined,
    most: high.length > 0 ? Math.min(...high) : undefined,
  };
}

/** A keyword that counts something. */
export function bound(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new GrammarError(`${key} must be a whole number`);
  if (value > mostRepetitions) throw new GrammarError(`${key} is more than ${mostRepetitions}, which is not supported`);
  return value;
}

/** How often something may come. */
export function times(least: number, most: number | undefined): string {
  return most === undefined && least === 0 ? '*' : `{${least},${most ?? ''}}`;
}

/** A keyword that is a list. */
export function list(value: unknown, key: string): readonly unknown[] {
  if (!Array.isArray(value) || (value.length === 0 && key !== 'required' && key !== 'prefixItems'))
    throw new GrammarError(`${key} must be a list with at least one entry`);
  return value;
}
