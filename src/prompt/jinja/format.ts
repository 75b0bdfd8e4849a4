import type { Arguments } from './arguments.ts';
import { reprOf, textOf } from './text.ts';
import { integerOf, numberOf, PyFloat, TemplateError, Tuple, typeName, type Value } from './values.ts';

/** Python's `text % values`, and Jinja's `format` filter. */
export function formatPercent(text: string, values: Value): string {
  const list = values instanceof Tuple ? values : [values];
  let next = 0;
  return text.replace(
    /%(?:\((\w+)\))?([-+ 0#]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (
      _,
      key: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      kind: string,
    ) => {
      if (kind === '%') return '%';
      const value = key === undefined ? list[next++] : values instanceof Map ? values.get(key) : undefined;
      if (value === undefined) throw new TemplateError('not enough arguments for format string');
      const body = converted(value, kind, precision === undefined ? undefined : Number(precision));
      return padNumber(body, { flags, width: Math.min(Number(width ?? 0), 100_000) });
    },
  );
}

function converted(value: Value, kind: string, precision: number | undefined): string {
  switch (kind) {
    case 's':
      return textOf(value).slice(0, precision);
    case 'r':
      return reprOf(value);
    case 'd':
    case 'i':
      return String(Math.trunc(requireNumber(value, kind)));
    case 'f':
    case 'F':
      return requireNumber(value, kind).toFixed(Math.min(precision ?? 6, 100));
    case 'x':
      return integerOf(value, '%x').toString(16);
    case 'X':
      return integerOf(value, '%X').toString(16).toUpperCase();
    default:
      throw new TemplateError(`unsupported format character '${kind}'`);
  }
}

function requireNumber(value: Value, kind: string): number {
  const number = numberOf(value);
  if (number === undefined)
    throw new TemplateError(`%${kind} format: a real number is required, not ${typeName(value)}`);
  return number;
}

function padNumber(body: string, { flags, width }: { flags: string; width: number }): string {
  if (flags.includes('-')) return body.padEnd(width);
  if (!flags.includes('0')) return body.padStart(width);
  const sign = body.startsWith('-') ? '-' : '';
  return sign + body.slice(sign.length).padStart(width - sign.length, '0');
}

/** Python's `str.format` with positions and names; of format specifications, only fixed decimals. */
export function formatBraces(text: string, { args, named }: Arguments): string {
  if (/\{[!:}]/.test(text) && /\{\d/.test(text)) {
    throw new TemplateError('cannot switch between automatic and manual field numbering');
  }
  let next = 0;
  return text.replace(
    /\{\{|\}\}|\{(\w*)(?:!([rs]))?(?::([^}]*))?\}/g,
    (whole, key: string, mode: string, spec: string) => {
      if (whole === '{{') return '{';
      if (whole === '}}') return '}';
      const value = key === '' ? args[next++] : /^\d+$/.test(key) ? args[Number(key)] : named.get(key);
      if (value === undefined) throw new TemplateError(`no argument for '${whole}' in format()`);
      if (mode === 'r') return reprOf(value);
      return spec === undefined || spec === '' ? textOf(value) : formatSpec(value, spec);
    },
  );
}

function formatSpec(value: Value, spec: string): string {
  const match = /^(0?)(\d*)(?:\.(\d+))?([fds]?)$/.exec(spec);
  const number = numberOf(value);
  if (match === null) throw new TemplateError(`format specification '${spec}' is not supported`);
  const [, zero = '', width = '', precision, kind] = match;
  const body =
    number !== undefined && (kind === 'f' || (value instanceof PyFloat && precision !== undefined))
      ? number.toFixed(Math.min(Number(precision ?? 6), 100))
      : textOf(value);
  const flags = zero + (typeof value === 'string' ? '-' : '');
  return padNumber(body, { flags, width: Math.min(Number(width || 0), 100_000) });
}
